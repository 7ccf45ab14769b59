import Synchronization

/// The number by which keys see whether the value that they decoded last of a name is still the one
/// that a ``Defaults/StoredSuite`` has.
///
/// A key resolves its cell once; from then on a read compares two integers and takes no lock.
@usableFromInline
final class Cell: Sendable {
  /// Grows with every change of the name's entry or registered default; never 0.
  ///
  /// The highest bit is set where a scope may have another value. No value is ever kept under a
  /// number with that bit, so a read that finds none looks for a scope, and a process without
  /// scopes pays nothing for them.
  @usableFromInline let generation: Atomic<UInt64>
  /// An object of a higher floor that lives as long as the cell; none until somebody needs it.
  let companion = AtomicLazyReference<Companion>()

  /// The superclass of such objects.
  class Companion: @unchecked Sendable {}

  private static let distrust: UInt64 = 1 << 63

  /// A new cell; `isTrusted` unless a scope may have another value.
  init(isTrusted: Bool = true) {
    generation = Atomic(isTrusted ? 1 : 1 | Self.distrust)
  }

  /// A cell of no suite, for a key that is made in a scope: its decoded values aren't kept.
  static var unbound: Cell {
    let cell = Cell()
    cell.generation.store(Self.distrust, ordering: .relaxed)
    return cell
  }

  /// Makes all decoded values stale. Called under the lock that guards the entry: a reader who sees
  /// the new number and takes that lock finds the new entry.
  func advance() {
    generation.wrappingAdd(1, ordering: .releasing)
  }

  /// Makes reads look for a scope before they use a decoded value, from now on.
  func distrust() {
    generation.bitwiseOr(Self.distrust, ordering: .relaxed)
  }

  /// The generation under which decoded values are kept, 0 if they aren't, and whether a read may
  /// use them without looking for a scope.
  var present: (generation: UInt64, isTrusted: Bool) {
    let number = generation.load(ordering: .acquiring)
    return (number & ~Self.distrust, number & Self.distrust == 0)
  }
}
