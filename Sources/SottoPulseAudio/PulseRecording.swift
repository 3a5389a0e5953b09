import SottoAudio
import SottoAudioDevices
import SottoStreams

/// A recording that outlives its devices and the sound server. Runs on a thread of its own.
final class PulseRecording {
    /// Turns of the loop, of 50 ms each, between two looks for a device that has gone.
    private static let patience = 6

    private let server: String?
    private let request: CaptureRequest
    private let queue: CaptureQueue
    private let stop: CancellationFlag
    private var hasFlowed = false

    init(server: String?, request: CaptureRequest, queue: CaptureQueue, stop: CancellationFlag) {
        self.server = server
        self.request = request
        self.queue = queue
        self.stop = stop
    }

    /// Records until the flag is raised.
    ///
    /// - Throws: ``CaptureError`` before the first samples only.
    func run() throws {
        while stop.isCancelled == false {
            do {
                let connection = try PulseConnection(server: server)
                try connection.waitUntilReady(stop: stop)
                try record(connection)
            } catch let error as CaptureError {
                guard hasFlowed else { throw error }
                pause()
            } catch is CancellationError {
                return
            }
        }
    }

    /// Records from one device after another until the connection is gone.
    private func record(_ connection: PulseConnection) throws {
        while stop.isCancelled == false, connection.isAlive {
            let devices = try connection.devices(stop: stop)
            guard let device = devices.first(where: { $0.id == request.device }) ?? (request.device == nil || hasFlowed ? devices.first(where: \.isDefault) : nil)
            else {
                guard hasFlowed else { throw missing(devices) }
                wait(connection)
                continue
            }
            do {
                // By name only where it was chosen: a stream without a name follows the default when that changes.
                try record(try PulseStream(connection, device: device.id == request.device ? device.id : nil), connection, device)
            } catch let error as CaptureError {
                guard hasFlowed else { throw error }
                wait(connection)
            }
        }
    }

    private func record(_ stream: PulseStream, _ connection: PulseConnection, _ device: AudioDevice) throws {
        while stream.isReady == false {
            if stop.isCancelled { return }
            guard stream.isAlive else {
                throw CaptureError(.failed, "\(device.name) cannot be recorded from: \(connection.lastError)")
            }
            connection.turnOnce()
        }
        let rate = stream.sampleRate
        var resampler = rate == request.sampleRate ? nil : try Resampler(from: rate, to: request.sampleRate)
        var source = device.id
        var isFlowing = false
        while stop.isCancelled == false {
            connection.turnOnce()
            guard stream.isAlive else { break }
            let samples = stream.read()
            guard samples.isEmpty == false else { continue }
            if isFlowing == false || stream.device.map({ $0 != source }) == true {
                // The server has moved us, as it does when a device is unplugged or the default changes.
                let now = stream.device ?? source
                let found = now == device.id ? device : (try? connection.devices(stop: stop))?.first { $0.id == now }
                source = now
                isFlowing = true
                hasFlowed = true
                queue.add(.flowing(found ?? AudioDevice(id: now, name: now)))
            }
            let output = try resampler?.process(samples) ?? samples
            if output.isEmpty == false { queue.add(.audio(AudioBuffer(samples: output, sampleRate: request.sampleRate))) }
        }
        // What the filter still holds was said.
        if let filter = resampler.take(), let rest = try? filter.finish(), rest.isEmpty == false {
            queue.add(.audio(AudioBuffer(samples: rest, sampleRate: request.sampleRate)))
        }
        if stop.isCancelled == false { queue.add(.interrupted("\(device.name) is gone; waiting for a microphone")) }
    }

    private func missing(_ devices: [AudioDevice]) -> CaptureError {
        if let wanted = request.device {
            let names = devices.map(\.id).joined(separator: ", ")
            return CaptureError(.noDevice, "there is no device \"\(wanted)\"" + (names.isEmpty ? "" : "; there are \(names)"))
        }
        return CaptureError(.noDevice, "there is no microphone; plug one in")
    }

    private func wait(_ connection: PulseConnection) {
        for _ in 0..<Self.patience where stop.isCancelled == false && connection.isAlive { connection.turnOnce() }
    }

    /// A while without a server.
    private func pause() {
        for _ in 0..<Self.patience where stop.isCancelled == false { _ = pauseOnce() }
    }
}
