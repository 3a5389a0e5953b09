import SottoSpeechEngines
import Testing

struct EndStretchTests {
    @Test("a stretch can be ended at a pause that is too short by itself; what follows is another one, and no frame belongs to both")
    func ended() {
        var segmenter = SpeechSegmenter(configuration: .init(minimumSpeech: 3, minimumPause: 19, paddingBefore: 10, paddingAfter: 10))
        for _ in 0..<20 { #expect(segmenter.observe(0.01) == nil) }
        for _ in 0..<10 { #expect(segmenter.observe(0.95) == nil) }
        for _ in 0..<8 { #expect(segmenter.observe(0.01) == nil) }
        // Speech began at frame 20 and was last heard at frame 29; 38 frames were heard.
        #expect(segmenter.endStretch(padding: 7) == 10..<37)
        #expect(segmenter.open == nil && segmenter.endStretch() == nil)
        for _ in 0..<2 { #expect(segmenter.observe(0.01) == nil) }
        for _ in 0..<10 { #expect(segmenter.observe(0.95) == nil) }
        #expect(segmenter.finish() == 37..<50)
    }

    @Test("without a padding the pause is shared; more than was heard is not kept; a click is no stretch")
    func padding() {
        func heard() -> SpeechSegmenter {
            var segmenter = SpeechSegmenter()
            for _ in 0..<5 { _ = segmenter.observe(0.95) }
            for _ in 0..<6 { _ = segmenter.observe(0.01) }
            return segmenter
        }
        var shared = heard()
        #expect(shared.endStretch() == 0..<8)
        var long = heard()
        #expect(long.endStretch(padding: 99) == 0..<11)
        var click = SpeechSegmenter()
        _ = click.observe(0.95)
        _ = click.observe(0.01)
        #expect(click.endStretch() == nil)
    }
}
