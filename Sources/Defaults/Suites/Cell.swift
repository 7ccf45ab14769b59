import Synchronization

/// One name of a ``Defaults/StoredSuite``, as its keys see it: a number that tells whether what
/// they decoded last is still what is stored.
///
/// A key resolves its cell once; from then on a read compares two integers and takes no lock.
@usableFromInline
final class Cell: Sendable {
  /// Rises with every change of the name's entry or registered default; never 0.
  @usableFromInline let generation = Atomic<UInt64>(1)
  /// How the Observation framework hears of the name; empty until a property reads it.
  let tracking = AtomicLazyReference<Tracking>()

  /// Makes every decoded value stale. Called under the lock that guards the entry, so that whoever
  /// sees the new number and takes that lock finds the new entry.
  func advance() {
    generation.wrappingAdd(1, ordering: .releasing)
  }
}
