import Synchronization

/// The generation of a name's entry in a ``Defaults/StoredSuite``. It tells keys whether the value
/// that they decoded last is current.
///
/// A key resolves its cell once. After that, a read compares two integers and takes no lock.
@usableFromInline
final class Cell: Sendable {
  /// A number that grows with every change of the name's entry or registered default; never 0.
  ///
  /// The highest bit is set if a scope may have another value. No decoded value has a number with
  /// that bit, so every read then looks for a scope. A process without scopes has no extra cost.
  @usableFromInline let generation: Atomic<UInt64>
  /// An object of a higher layer that lives as long as the cell; nil until it is needed.
  let companion = AtomicLazyReference<Companion>()

  class Companion: @unchecked Sendable {}

  private static let distrust: UInt64 = 1 << 63

  /// Creates a cell. `isTrusted` is false if a scope may have another value.
  init(isTrusted: Bool = true, generation: UInt64 = 1) {
    self.generation = Atomic(isTrusted ? generation : generation | Self.distrust)
  }

  /// A cell without a suite, for a key that is created in a scope. Its decoded values aren't kept.
  static var unbound: Cell { Cell(isTrusted: false, generation: 0) }

  /// Invalidates all decoded values. Called under the lock that guards the entry: a reader that
  /// sees the new number and takes that lock finds the new entry.
  func advance() { generation.wrappingAdd(1, ordering: .releasing) }

  /// Makes all later reads look for a scope before they use a decoded value.
  func distrust() { generation.bitwiseOr(Self.distrust, ordering: .relaxed) }

  /// The generation of decoded values (0 if they aren't kept), and whether a read may use them
  /// without looking for a scope.
  var present: (generation: UInt64, isTrusted: Bool) {
    let number = generation.load(ordering: .acquiring)
    return (number & ~Self.distrust, number & Self.distrust == 0)
  }
}
