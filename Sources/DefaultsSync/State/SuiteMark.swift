/// The mark that the sync writes into a suite: an id, and a number that grows with each stored
/// state that knows new changes of the suite.
///
/// The mark is an entry, and is flushed after the changes and before the state is stored. So a
/// suite with another id or an older number has lost changes that the state knows.
package struct SuiteMark: Sendable, Equatable {
  package var id: String
  package var number: UInt64 = 0

  package init(id: String, number: UInt64 = 0) { (self.id, self.number) = (id, number) }

  /// Reads a mark. A text without a number is an id.
  package init(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(id: String(parts[0]))
    if parts.count == 2, let found = UInt64(parts[1]) { number = found }
  }

  package var text: String { "\(id).\(number)" }

  /// The mark of the next stored state that knows new changes.
  var next: Self { Self(id: id, number: number &+ 1) }

  /// Returns whether a suite with this mark has all changes that a state with the other one knows.
  func isComplete(for known: Self) -> Bool { id == known.id && number >= known.number }
}
