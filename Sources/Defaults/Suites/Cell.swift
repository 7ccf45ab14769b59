import Synchronization

/// One name of a ``Defaults/StoredSuite``, as its keys see it: a number that tells whether what
/// they decoded last is still what is stored.
///
/// A key resolves its cell once; from then on a read compares two integers and takes no lock.
@usableFromInline
final class Cell: Sendable {
  /// Rises with every change of the name's entry or registered default; never 0.
  ///
  /// Where reads must look for a scope first, the highest bit is set besides: no value was ever
  /// decoded at such a number, so that no read finds one, and those in a process without scopes
  /// have nothing to check for it.
  @usableFromInline let generation: Atomic<UInt64>
  /// What observers of the name's keys keep here: one object, made when it is needed first.
  class Attachment: @unchecked Sendable {
    // Unchecked because classes that are inherited from can't be checked; the only one that does is
    // checked by itself: all its properties are constants of Sendable types.
  }
  let attachment = AtomicLazyReference<Attachment>()

  private static let distrust: UInt64 = 1 << 63

  /// A new cell; `isTrusted` unless a scope may have another value.
  init(isTrusted: Bool = true) {
    generation = Atomic(isTrusted ? 1 : 1 | Self.distrust)
  }

  /// A cell of no suite, for a key that is made in a scope: nothing that is decoded is kept.
  static var unbound: Cell {
    let cell = Cell()
    cell.generation.store(Self.distrust, ordering: .relaxed)
    return cell
  }

  /// Makes every decoded value stale. Called under the lock that guards the entry, so that whoever
  /// sees the new number and takes that lock finds the new entry.
  func advance() {
    generation.wrappingAdd(1, ordering: .releasing)
  }

  /// Makes reads look for a scope before they trust what was decoded, from now on.
  func distrust() {
    generation.bitwiseOr(Self.distrust, ordering: .relaxed)
  }

  /// The generation by which decoded values are kept, 0 if they aren't, and whether a read may use
  /// them unasked.
  var present: (generation: UInt64, isTrusted: Bool) {
    let number = generation.load(ordering: .acquiring)
    return (number & ~Self.distrust, number & Self.distrust == 0)
  }
}
