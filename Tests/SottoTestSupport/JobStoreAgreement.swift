import Foundation
public import SottoJobStore
public import Testing

/// Does the same random operations to two stores and compares every answer and, at the end, all that they tell.
///
/// - Parameters:
///   - seed: Of the operations; the same seed gives the same ones.
///   - count: How many operations.
public func checkAgreement(
    _ left: any JobStore, _ right: any JobStore, seed: UInt64, count: Int, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var chance = SplitMix64(state: seed)
    var seconds = 0.0
    var boot = 1
    var claims: [JobClaim] = []
    for number in 0..<count {
        seconds += Double.random(in: 0..<4, using: &chance)
        if Int.random(in: 0..<300, using: &chance) == 0 { boot += 1 }
        let now = moment(seconds, boot: "boot-\(boot)")
        let id = JobID(Int64.random(in: 1...25, using: &chance))
        let claim = claims.randomElement(using: &chance) ?? JobClaim(id: id, token: 1)
        let operation = Int.random(in: 0..<20, using: &chance)
        let start = seconds
        let wait = Double.random(in: -5..<20, using: &chance)
        let name = "s\(Int.random(in: 0..<4, using: &chance))"
        let result = JobResult(body: "\(number)", findings: "f", summary: "s", outcome: number.isMultiple(of: 2) ? .done : .short(gaps: ["g\(number)"]))
        @Sendable func perform(_ store: any JobStore) async throws -> String {
            switch operation {
            case 0...2:
                let new = NewJob(kind: "k\(number % 2)", title: "t\(number)", payload: "", dueAt: moment(start + wait).date, maximumAttempts: 1 + number % 3)
                return "\(try await store.add(new, at: now))"
            case 3...6: return "\(String(describing: try await store.claim(worker: "w\(number % 3)", kinds: ["k0", "k1"], lease: .seconds(20), at: now)))"
            case 7: return "\(try await store.heartbeat(claim, lease: .seconds(20), at: now))"
            case 8...9:
                try await store.finish(
                    JobStep(name: name, attempt: number, startedAt: moment(start - 1.5).date, finishedAt: now.date, output: "\(number)"), claim: claim, at: now)
            case 10: try await store.note(.progress, step: name, text: "n\(number)", claim: claim, at: now)
            case 11: try await store.complete(claim, with: result, at: now)
            case 12: try await store.fail(claim, because: "e\(number)", retryAt: wait < 3 ? nil : moment(start + wait).date, partial: result, at: now)
            case 13: try await store.cancelled(claim, partial: wait < 5 ? nil : result, at: now)
            case 14: try await store.release(claim, at: now)
            case 15: return "\(try await store.requestCancel(id, at: now))"
            case 16: return "\(try await store.retry(id, at: now))"
            case 17: wait < 0 ? try await store.remove(id, at: now) : try await store.keep(result, of: id, at: now)
            case 18: return "\(try await store.endExpiredLeases(at: now))"
            default: return "\(try await store.endForeignLeases(keeping: "w0", at: now))"
            }
            return "done"
        }
        let answers = (await answer { try await perform(left) }, await answer { try await perform(right) })
        #expect(answers.0 == answers.1, "operation \(number), kind \(operation), seed \(seed)", sourceLocation: sourceLocation)
        guard answers.0 == answers.1 else { return }
        for job in try await left.jobs(states: [.running], limit: .max) {
            if let token = job.lease?.token, claims.contains(JobClaim(id: job.id, token: token)) == false { claims.append(JobClaim(id: job.id, token: token)) }
        }
        if claims.count > 12 { claims.removeFirst(claims.count - 12) }
        if number.isMultiple(of: 50) { #expect(try await left.nextDue(kinds: ["k0"]) == right.nextDue(kinds: ["k0"]), sourceLocation: sourceLocation) }
    }
    let told = (try await snapshot(left), try await snapshot(right))
    #expect(told.0 == told.1, sourceLocation: sourceLocation)
    #expect(Set(told.0.jobs.map(\.state)).count >= 3, "the operations reached too little", sourceLocation: sourceLocation)
}

private func answer(_ body: () async throws -> String) async -> String {
    do { return try await body() } catch { return "\((error as? JobStoreError)?.code.rawValue ?? "other"): \(error)" }
}

/// Steele, Lea and Flood 2014; the published constants.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
