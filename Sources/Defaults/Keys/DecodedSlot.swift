import Synchronization

/// The value that a key decoded last, and the generation of its cell at that time.
///
/// Reading it takes no lock, and waits for nobody. Plain values of 16 bytes or less (numbers,
/// bools, dates, small enums, optionals of these) lie in two atomics, fenced by the generation
/// before and after. Other values are copied, each thread its own once they have met.
@usableFromInline
final class DecodedSlot<Value: Sendable>: @unchecked Sendable {
  // Unchecked because of the address in `copies`, of memory that is Sendable and lives as long as
  // the slot.

  /// The generation that the bits belong to; 0 while there is none or they are being replaced.
  @usableFromInline let generation = Atomic<UInt64>(0)
  @usableFromInline let lowBits = Atomic<UInt64>(0)
  @usableFromInline let highBits = Atomic<UInt64>(0)
  @usableFromInline let isReplacing = Atomic(false)

  @usableFromInline let copy = DecodedCopy<Value>()
  /// Where the copies of `DecodedCopies` are; nil until two threads have met at `copy`.
  @usableFromInline let copies = Atomic<UnsafeMutableRawPointer?>(nil)

  @usableFromInline
  init() {}

  deinit {
    if let address = copies.load(ordering: .acquiring) {
      DecodedCopies<Value>(at: address).deallocate()
    }
  }

  /// Whether values can be read from the bits; constant where `Value` is known.
  @inlinable
  static var isPlain: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= 16
  }

  /// The value decoded at this generation, if that is the one in the slot.
  @inlinable
  func value(at current: UInt64) -> Value? {
    if Self.isPlain {
      // A writer goes through 0 and never returns to an old generation: the same number before and
      // after means that the bits between belong to it.
      guard generation.load(ordering: .acquiring) == current else { return nil }
      let low = lowBits.load(ordering: .acquiring)
      let high = MemoryLayout<Value>.size > 8 ? highBits.load(ordering: .acquiring) : 0
      guard generation.load(ordering: .relaxed) == current else { return nil }
      // Unaligned: there are values of 16 bytes that want to lie at a multiple of 16.
      return withUnsafeBytes(of: (low, high)) { $0.loadUnaligned(as: Value.self) }
    }
    if let address = copies.load(ordering: .acquiring) {
      return DecodedCopies(at: address).value(at: current)
    }
    switch copy.value(at: current) {
    case .found(let value): return value
    case .stale: return nil
    case .busy:
      meet()
      return nil
    }
  }

  /// Whether several threads read the value at once, each its own copy, which has to be decoded
  /// from memory that no other thread uses.
  var isShared: Bool {
    copies.load(ordering: .relaxed) != nil
  }

  /// Two threads have met: from now on, each thread has its own copy. Not of an object, of which
  /// all threads shall get the same one.
  @usableFromInline
  func meet() {
    if Value.self is AnyObject.Type { return }
    let new = DecodedCopies<Value>()
    let (isFirst, _) = copies.compareExchange(
      expected: nil, desired: UnsafeMutableRawPointer(new.first),
      ordering: .acquiringAndReleasing)
    if !isFirst { new.deallocate() }
  }

  /// Keeps a value, unless one of a later generation is here already. If another thread is at that,
  /// it isn't kept, and the next reader decodes again.
  @usableFromInline
  func store(_ value: Value, at newGeneration: UInt64) {
    guard Self.isPlain else {
      if let address = copies.load(ordering: .acquiring) {
        return DecodedCopies(at: address).store(value, at: newGeneration)
      }
      return copy.store(value, at: newGeneration)
    }
    guard !isReplacing.exchange(true, ordering: .acquiring) else { return }
    defer { isReplacing.store(false, ordering: .releasing) }
    let present = generation.load(ordering: .relaxed)
    guard present < newGeneration else { return }
    var bits = (low: UInt64(0), high: UInt64(0))
    withUnsafeMutableBytes(of: &bits) { bytes in
      withUnsafeBytes(of: value) { bytes.copyMemory(from: $0) }
    }
    generation.store(0, ordering: .relaxed)
    // Releasing: a reader that sees the new bits also sees that the generation was taken away.
    lowBits.store(bits.low, ordering: .releasing)
    highBits.store(bits.high, ordering: .releasing)
    generation.store(newGeneration, ordering: .releasing)
  }
}
