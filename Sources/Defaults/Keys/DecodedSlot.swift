import Synchronization

/// The value that a key decoded last, with the generation of its cell at that time.
///
/// Reading takes no lock and never waits. Plain values of 16 bytes or less are in two atomics,
/// fenced by the generation before and after. Other values are copied by one thread at a time;
/// meanwhile, other threads decode the entry again.
@usableFromInline
final class DecodedSlot<Value: Sendable>: @unchecked Sendable {
  // Unchecked because of `copy` and `copyGeneration`, which only the thread that set `isBusy` uses.
  // Checking their accesses for overlap would take longer than the rest of a read.

  /// The generation that the bits belong to; 0 if there are none or they are being replaced.
  @usableFromInline let generation = Atomic<UInt64>(0)
  @usableFromInline let lowBits = Atomic<UInt64>(0)
  @usableFromInline let highBits = Atomic<UInt64>(0)

  /// Whether a thread is replacing the bits, or reading or replacing the copy.
  @usableFromInline let isBusy = Atomic(false)
  /// The generation that the copy belongs to; 0 if there is none.
  @exclusivity(unchecked) @usableFromInline var copyGeneration: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var copy: Value?

  @usableFromInline
  init() {}

  /// Whether values are read from the bits; a constant where `Value` is known.
  @inlinable
  static var isPlain: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= 16 }

  /// Returns the value that was decoded at this generation, or nil if the slot doesn't have it.
  @inlinable
  func value(at current: UInt64) -> Value? {
    guard Self.isPlain else {
      guard !isBusy.exchange(true, ordering: .acquiring) else { return nil }
      defer { isBusy.store(false, ordering: .releasing) }
      return copyGeneration == current ? copy : nil
    }
    // A writer sets 0 in between and never returns to an older generation, so the same number
    // before and after means that the bits belong to it.
    guard generation.load(ordering: .acquiring) == current else { return nil }
    let low = lowBits.load(ordering: .acquiring)
    let high = MemoryLayout<Value>.size > 8 ? highBits.load(ordering: .acquiring) : 0
    guard generation.load(ordering: .relaxed) == current else { return nil }
    // Unaligned, because some types of 16 bytes have an alignment of 16.
    return withUnsafeBytes(of: (low, high)) { $0.loadUnaligned(as: Value.self) }
  }

  /// Stores a value, unless the slot has a value of the same or a later generation. If another
  /// thread uses the copy or replaces the bits, the value isn't stored, and the next reader decodes
  /// the entry again.
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
    // Release the old value only now, because its deinitializer may run any code.
    withExtendedLifetime(old) {}
  }

  private func storeBits(of value: Value, at newGeneration: UInt64) {
    guard generation.load(ordering: .relaxed) < newGeneration else { return }
    var bits = (low: UInt64(0), high: UInt64(0))
    withUnsafeMutableBytes(of: &bits) { bytes in
      withUnsafeBytes(of: value) { bytes.copyMemory(from: $0) }
    }
    generation.store(0, ordering: .relaxed)
    // Releasing, so that a reader that sees new bits also sees the generation 0.
    lowBits.store(bits.low, ordering: .releasing)
    highBits.store(bits.high, ordering: .releasing)
    generation.store(newGeneration, ordering: .releasing)
  }
}
