"""Speaking to the app: dictation, transcripts, takes, and what goes wrong with microphones."""

import re
import unittest

from harness import DESKTOP, LONG, BrowserTest, word_errors

TEXT = "The north wind and the sun were disputing which was the stronger, when a traveler came along, wrapped in a warm cloak."

UNPLUG = """
(() => {
  // A microphone that can be unplugged, muted, refused or taken, as the test says.
  const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  window.asked = 0;
  navigator.mediaDevices.getUserMedia = async (wishes) => {
    window.asked += 1;
    if (window.refusal) throw new DOMException(window.refusal[1] ?? "", window.refusal[0]);
    const stream = await real(wishes);
    window.tracks = stream.getAudioTracks();
    if (window.silent) {
      const context = new AudioContext();
      return context.createMediaStreamDestination().stream;
    }
    return stream;
  };
})();
"""


class VoiceTest(BrowserTest):
    def opened(self, route, script="", **options):
        page = self.open(route, **options)
        page.evaluate(UNPLUG + script)
        return page

    def text(self, page):
        """What was heard, without the times beside it."""
        return " ".join(re.sub(r"^\s*\d+:\d+\s*", "", line) for line in page.locator(".segment-text").all_inner_texts())

    def settled(self, page):
        self.wait(page, "() => document.querySelector('.segment-text:not(.live)') && !document.querySelector('.segment-text.live')", timeout=LONG)


class Transcribing(VoiceTest):
    viewport = DESKTOP

    def test_live_settled_heard_with_echo_saved_and_kept(self):
        microphone = self.rig.say("north-wind", TEXT)
        page = self.open("transcribe", microphone=microphone)
        page.get_by_role("button", name="Echo").click()
        page.get_by_role("button", name="Record", exact=True).click()
        # Words come while they are spoken; what may change looks different from what stays.
        page.locator(".segment-text.live .tail").wait_for(state="attached")
        styles = page.evaluate("""() => ['committed', 'tail'].map((kind) => {
            const probe = document.querySelector('.segment-text.live .' + kind);
            return getComputedStyle(probe).color + getComputedStyle(probe).fontStyle;
        })""")
        self.assertNotEqual(*styles)
        self.wait(page, "() => Number(document.querySelector('.recorder .meter').getAttribute('aria-valuenow')) > -60")
        page.wait_for_timeout(9000)
        page.get_by_role("button", name="Stop recording").click()
        page.get_by_role("button", name="Record", exact=True).wait_for()
        self.settled(page)
        heard = self.text(page)
        self.assertLess(word_errors(TEXT, heard), 0.45, heard)
        # The echo: the microphone was heard through the speakers.
        path = self.rig.speech / "heard-echo.wav"
        samples, rate = self.recording(page, path)
        self.assertGreater(max(abs(value) for value in samples), 500)
        with page.expect_download() as download:
            page.get_by_role("button", name="Save the transcript").click()
            page.get_by_role("button", name="Subtitles, SRT").click()
        self.assertRegex(open(download.value.path(), encoding="utf-8").read(), r"^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\n")
        # A reload keeps the transcript, and the take is in the list, with its sound.
        page.reload()
        page.locator(".segment-text").first.wait_for()
        take = page.locator(".slot-detail .job-row").first
        take.wait_for()
        take.click()
        audio = page.get_by_role("dialog").locator("audio")
        self.wait(page, "() => document.querySelector('dialog audio').duration > 5")
        self.assertGreater(audio.evaluate("(one) => one.duration"), 5)
        self.assertLess(word_errors(TEXT, page.locator(".take-text").inner_text()), 0.45)
        page.get_by_role("button", name="Recognize again").click()
        page.get_by_text("Recognized anew.").wait_for(timeout=LONG)
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_role("dialog", name="Delete this recording?").get_by_role("button", name="Delete").click()
        self.wait(page, "() => !document.querySelector('dialog')")

    def test_a_file_is_transcribed(self):
        recording = self.rig.say("north-wind", TEXT)
        page = self.open("transcribe")
        page.locator(".recorder input[type=file]").set_input_files(str(recording))
        page.locator(".segment-text").first.wait_for(timeout=LONG)
        heard = self.text(page)
        self.assertLess(word_errors(TEXT, heard), 0.45, heard)

    def test_a_restart_of_the_server_while_speaking_loses_no_sound(self):
        self.needs_own_server()
        self.expected = ["WebSocket connection", "ERR_", "net::"]
        microphone = self.rig.say("north-wind", TEXT)
        before = {take["id"] for take in self.rig.api("GET", "/api/takes")["takes"]}
        page = self.open("transcribe", microphone=microphone)
        page.get_by_role("button", name="Record", exact=True).click()
        page.locator(".segment-text.live .tail").wait_for(state="attached")
        self.rig.server.stop(kill=True)
        page.locator(".recorder-hint", has_text="of sound are kept").wait_for()
        self.rig.server.start()
        self.wait(page, "() => !document.querySelector('.recorder-hint').textContent.includes('are kept')", timeout=LONG)
        # Until what was said while the server was away has been heard, however long the machine takes.
        self.wait(page, "count => document.querySelector('#transcribe-body').textContent.split(/\\s+/).length >= count", len(TEXT.split()), timeout=LONG)
        page.get_by_role("button", name="Stop recording").click()
        page.get_by_role("button", name="Record", exact=True).wait_for(timeout=LONG)
        self.settled(page)
        takes = [take for take in self.rig.api("GET", "/api/takes")["takes"] if take["id"] not in before]
        # One before the restart and one after it; together they are as long as what was said.
        self.assertEqual(len(takes), 2)
        self.assertGreater(sum(take["seconds"] for take in takes), 6, takes)
        self.assertLess(word_errors(TEXT, self.text(page)), 0.6)


class Dictating(VoiceTest):
    def test_into_the_middle_of_a_text_by_holding_the_key(self):
        microphone = self.rig.say("hello", "Good morning everybody.")
        page = self.open("agents", microphone=microphone)
        field = page.get_by_role("textbox", name="Question", exact=True)
        field.fill("Say  to them")
        field.evaluate("(one) => one.setSelectionRange(4, 4)")
        page.keyboard.down("F2")
        page.get_by_role("button", name="Stop dictating").wait_for()
        page.wait_for_timeout(5500)
        page.keyboard.up("F2")
        self.wait(page, "() => document.querySelector('.pill-input').value.length > 15")
        value = field.input_value()
        self.assertTrue(value.startswith("Say ") and value.endswith(" to them"), value)
        self.assertIn("morning", value.lower())

    def test_a_tap_on_the_button_starts_and_a_tap_stops(self):
        microphone = self.rig.say("hello", "Good morning everybody.")
        page = self.open("agents", microphone=microphone)
        page.get_by_role("button", name="Dictate the question").click()
        page.get_by_role("button", name="Stop dictating").wait_for()
        page.wait_for_timeout(600)
        page.get_by_role("button", name="Stop dictating").click()
        page.get_by_role("button", name="Dictate the question").wait_for()


class Problems(VoiceTest):
    def problem(self, page):
        page.get_by_role("button", name="Record", exact=True).click()
        alert = page.locator(".failure").first
        alert.wait_for()
        # Always back to idle.
        page.get_by_role("button", name="Record", exact=True).wait_for()
        return alert.inner_text()

    def test_denied_dismissed_missing_and_taken_are_told_apart(self):
        for refusal, words in (
            (["NotAllowedError", "Permission denied by system"], "system keeps"), (["NotFoundError"], "No microphone was found"),
            (["NotReadableError"], "cannot be opened"), (["NotAllowedError", "Permission dismissed"], "was closed"),
        ):
            page = self.opened("transcribe", f"window.refusal = {refusal!r};")
            self.assertIn(words, self.problem(page))
            page.context.close()

    def test_refused_by_the_browser_itself(self):
        page = self.open("transcribe", allow=False)
        self.assertRegex(self.problem(page), "blocked for this page|was closed")

    def test_an_address_without_encryption(self):
        page = self.opened("transcribe", "Object.defineProperty(window, 'isSecureContext', { value: false });")
        self.assertIn("HTTPS", self.problem(page))

    def test_a_muted_microphone(self):
        page = self.opened("transcribe", "window.silent = true;")
        page.get_by_role("button", name="Record", exact=True).click()
        page.locator(".recorder-hint", has_text="Is it muted?").wait_for()
        page.get_by_role("button", name="Stop recording").click()
        page.get_by_role("button", name="Record", exact=True).wait_for()

    def test_unplugged_in_the_middle_goes_on_with_the_next(self):
        page = self.opened("transcribe")
        page.get_by_role("button", name="Record", exact=True).click()
        self.wait(page, "() => window.tracks")
        page.wait_for_timeout(1000)
        page.evaluate("() => { const [track] = window.tracks; track.stop(); track.dispatchEvent(new Event('ended')); }")
        page.get_by_text("The microphone was unplugged.").first.wait_for()
        self.assertEqual(page.evaluate("window.asked"), 2)
        page.get_by_role("button", name="Stop recording").click()
        page.get_by_role("button", name="Record", exact=True).wait_for()

    def test_unplugged_without_another_waits_for_one(self):
        page = self.opened("transcribe")
        page.get_by_role("button", name="Record", exact=True).click()
        self.wait(page, "() => window.tracks")
        page.evaluate("() => { window.refusal = ['NotFoundError']; }")
        page.evaluate("() => { const [track] = window.tracks; track.stop(); track.dispatchEvent(new Event('ended')); }")
        page.get_by_text("Plug one in to go on").first.wait_for()
        page.evaluate("() => { window.refusal = null; navigator.mediaDevices.dispatchEvent(new Event('devicechange')); }")
        page.get_by_text("Going on with").first.wait_for()
        page.get_by_role("button", name="Stop recording").click()
        page.get_by_role("button", name="Record", exact=True).wait_for()


if __name__ == "__main__":
    unittest.main()
