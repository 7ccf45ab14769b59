/// What the body of a transaction has looked at, noted for a ``Persistence`` that can't keep others
/// from committing while the body runs.
package final class Dependencies: Sendable {
  /// Names whose entries a transaction depends on.
  package struct Names: Sendable {
    /// The names that were read, there or not.
    package var read: Set<String> = []
    /// The names that were set to what they are: no change, as long as they are that.
    package var confirmed: Set<String> = []
    /// Whether it depends on which names there are.
    package var areAllRead = false

    package init() {}
  }

  private let names = Lock(Names())

  package init() {}

  func noteRead(_ name: String) { names.withLock { _ = $0.read.insert(name) } }

  func noteAllRead() { names.withLock { $0.areAllRead = true } }

  func noteConfirmed(_ names: some Sequence<String>) {
    self.names.withLock { $0.confirmed.formUnion(names) }
  }

  /// What was noted since the last call.
  package func take() -> Names { names.exchange(Names()) }
}
