/// A set of changes: for each author, all of them up to a number.
package struct SyncContext: Hashable, Sendable {
  /// The number of the last change of each author; none is 0.
  package private(set) var numbers: [String: UInt64] = [:]

  package init() {}

  package init(_ numbers: [String: UInt64]) { self.numbers = numbers.filter { $0.value > 0 } }

  /// The number of authors.
  var count: Int { numbers.count }

  /// The number of the last change of an author; 0 for none.
  package subscript(device: String) -> UInt64 { numbers[device] ?? 0 }

  package func contains(_ change: SyncChange) -> Bool { change.number <= self[change.device] }

  /// Returns whether all changes of another set are in this one.
  package func contains(_ other: Self) -> Bool {
    other.numbers.allSatisfy { $0.value <= self[$0.key] }
  }

  mutating func insert(_ change: SyncChange) {
    numbers[change.device] = max(self[change.device], change.number)
  }

  func union(_ other: Self) -> Self {
    var union = self
    union.numbers.merge(other.numbers, uniquingKeysWith: max)
    return union
  }
}
