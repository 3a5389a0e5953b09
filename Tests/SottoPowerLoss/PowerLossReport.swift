/// What was found on the disks of one run.
package struct PowerLossReport: Sendable, Encodable, Equatable {
    package var synchronous: String
    /// Disks that were opened again.
    package var images = 0
    /// Of these, found after a second power cut, right after something was added to the first.
    package var secondCuts = 0
    /// Changes that were reported as kept while the record was made.
    package var acknowledged = 0
    /// Writes, syncs and the like in the record.
    package var operations = 0
    /// Changes to be found, in all images together.
    package var expected = 0
    /// Of these, not found.
    package var lost = 0
    package var imagesWithLoss = 0
    /// Disks that could not be opened, fail the integrity check, or hold what never was: part of a change, or one without those before it.
    package var corrupt = 0
    /// Disks on which the change that was under way when the power went off is there, as it may be.
    package var unacknowledgedKept = 0
    /// The first few images with a loss or damage: where, and what.
    package var examples: [String] = []

    package init(synchronous: String) { self.synchronous = synchronous }

    package mutating func add(_ other: PowerLossReport) {
        images += other.images
        secondCuts += other.secondCuts
        acknowledged += other.acknowledged
        operations += other.operations
        expected += other.expected
        lost += other.lost
        imagesWithLoss += other.imagesWithLoss
        corrupt += other.corrupt
        unacknowledgedKept += other.unacknowledgedKept
        for example in other.examples { note(example) }
    }

    mutating func note(_ example: String) { if examples.count < 5 { examples.append(example) } }
}
