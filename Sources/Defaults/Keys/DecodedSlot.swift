import Synchronization

/// The value that a key decoded last, and the generation of its cell at that time.
///
/// Reading it takes no lock, and waits for nobody. Plain values of 16 bytes or less (numbers,
/// bools, dates, small enums, optionals of these) lie in two atomics, fenced by the generation
/// before and after. Other values are copied by one thread at a time; a thread that finds another
/// one at that decodes the entry anew.
@usableFromInline
final class DecodedSlot<Value: Sendable>: @unchecked Sendable {
  // Unchecked because of `copy` and `copyGeneration`, which are reached only by the thread that has
  // set `isBusy`. So Swift needn't check that accesses don't overlap, which would take longer than
  // all else that a read does.

  /// The generation that the bits belong to; 0 while there is none or they are being replaced.
  @usableFromInline let generation = Atomic<UInt64>(0)
  @usableFromInline let lowBits = Atomic<UInt64>(0)
  @usableFromInline let highBits = Atomic<UInt64>(0)

  /// Whether a thread replaces the bits, or reads or replaces the copy.
  @usableFromInline let isBusy = Atomic(false)
  /// The generation that the copy belongs to; 0 while there is none.
  @exclusivity(unchecked) @usableFromInline var copyGeneration: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var copy: Value?

  @usableFromInline
  init() {}

  /// Whether values can be read from the bits; constant where `Value` is known.
  @inlinable
  static var isPlain: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= 16
  }

  /// The value decoded at this generation, if that is the one in the slot.
  @inlinable
  func value(at current: UInt64) -> Value? {
    guard Self.isPlain else {
      guard !isBusy.exchange(true, ordering: .acquiring) else { return nil }
      defer { isBusy.store(false, ordering: .releasing) }
      return copyGeneration == current ? copy : nil
    }
    // A writer goes through 0 and never returns to an old generation: the same number before and
    // after means that the bits between belong to it.
    guard generation.load(ordering: .acquiring) == current else { return nil }
    let low = lowBits.load(ordering: .acquiring)
    let high = MemoryLayout<Value>.size > 8 ? highBits.load(ordering: .acquiring) : 0
    guard generation.load(ordering: .relaxed) == current else { return nil }
    // Unaligned: there are values of 16 bytes that want to lie at a multiple of 16.
    return withUnsafeBytes(of: (low, high)) { $0.loadUnaligned(as: Value.self) }
  }

  /// Keeps a value, unless one of a later generation is here already. If another thread uses the
  /// copy or replaces the bits, the value isn't kept, and the next reader decodes again.
  @usableFromInline
  func store(_ value: Value, at newGeneration: UInt64) {
    guard !isBusy.exchange(true, ordering: .acquiring) else { return }
    guard !Self.isPlain else {
      storeBits(of: value, at: newGeneration)
      return isBusy.store(false, ordering: .releasing)
    }
    var old: Value?
    if copyGeneration < newGeneration {
      old = copy
      copyGeneration = newGeneration
      copy = value
    }
    isBusy.store(false, ordering: .releasing)
    // Only now: releasing an object may run any code.
    withExtendedLifetime(old) {}
  }

  private func storeBits(of value: Value, at newGeneration: UInt64) {
    guard generation.load(ordering: .relaxed) < newGeneration else { return }
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
