import Synchronization

/// The value that a key decoded last, and the generation of its cell at that time.
///
/// Plain values of 8 bytes or less (numbers, bools, dates, small enums) are read without a lock:
/// their bytes lie in one atomic, fenced by the generation before and after. Other values are
/// copied under a lock that is held for the copy alone.
@usableFromInline
final class DecodedSlot<Value: Sendable>: Sendable {
  /// The generation that `bits` belongs to; 0 while there is none or it is being replaced.
  @usableFromInline let generation = Atomic<UInt64>(0)
  @usableFromInline let bits = Atomic<UInt64>(0)
  @usableFromInline let latest = Lock((generation: UInt64(0), value: Value?.none))

  @usableFromInline
  init() {}

  /// Whether values can be read from `bits`; constant where `Value` is known.
  @inlinable
  static var isPlain: Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
  }

  /// The value decoded at this generation, if that is the one in the slot.
  @inlinable
  func value(at current: UInt64) -> Value? {
    if Self.isPlain {
      // A writer goes through 0 and never returns to an old generation: the same number before and
      // after means that the bits between belong to it.
      guard generation.load(ordering: .acquiring) == current else { return nil }
      let bits = bits.load(ordering: .acquiring)
      guard generation.load(ordering: .relaxed) == current else { return nil }
      return withUnsafeBytes(of: bits) { $0.load(as: Value.self) }
    }
    return latest.withLock { $0.generation == current ? $0.value : nil }
  }

  /// Keeps a value, unless one of a later generation is here already.
  @inlinable
  func store(_ value: Value, at newGeneration: UInt64) {
    // The value that is replaced goes outside of the lock: releasing an object may run any code.
    _ = latest.withLock { latest -> Value? in
      guard latest.generation < newGeneration else { return nil }
      latest.generation = newGeneration
      guard Self.isPlain else {
        defer { latest.value = value }
        return latest.value
      }
      var newBits: UInt64 = 0
      withUnsafeMutableBytes(of: &newBits) { bytes in
        withUnsafeBytes(of: value) { bytes.copyMemory(from: $0) }
      }
      generation.store(0, ordering: .relaxed)
      // Releasing: a reader that sees the new bits also sees that the generation was taken away.
      bits.store(newBits, ordering: .releasing)
      generation.store(newGeneration, ordering: .releasing)
      return nil
    }
  }
}
