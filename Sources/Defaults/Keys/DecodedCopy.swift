import Synchronization

/// A decoded value that one thread at a time copies, and nobody waits for.
///
/// Whoever finds it busy goes elsewhere: to another copy, or to the entry itself.
@usableFromInline
struct DecodedCopy<Value: Sendable>: ~Copyable, @unchecked Sendable {
  // Unchecked because of the pointer, which never changes; `generation` and `value` behind it are
  // reached only by the thread that has set `isBusy`.

  @usableFromInline
  struct Content: ~Copyable {
    @usableFromInline let isBusy = Atomic(false)
    /// The generation of the cell that the value belongs to; 0 while there is none.
    @usableFromInline var generation: UInt64 = 0
    @usableFromInline var value: Value?

    @usableFromInline
    init() { value = nil }
  }

  @usableFromInline let content: UnsafeMutablePointer<Content>

  /// Reading writes the flag, so no two copies share a cache line (of 64 bytes, fetched in pairs).
  @usableFromInline
  init() {
    content = UnsafeMutableRawPointer.allocate(
      byteCount: max(128, MemoryLayout<Content>.size), alignment: 128
    ).bindMemory(to: Content.self, capacity: 1)
    content.initialize(to: Content())
  }

  deinit {
    content.deinitialize(count: 1)
    content.deallocate()
  }

  /// What a look at it gave.
  @usableFromInline
  enum Look {
    case found(Value)
    case stale
    case busy
  }

  /// The value decoded at this generation, if that is the one here.
  @inlinable
  func value(at current: UInt64) -> Look {
    guard !content.pointee.isBusy.exchange(true, ordering: .acquiring) else { return .busy }
    defer { content.pointee.isBusy.store(false, ordering: .releasing) }
    guard content.pointee.generation == current, let value = content.pointee.value else {
      return .stale
    }
    return .found(value)
  }

  /// Keeps a value, unless one of a later generation is here already, or somebody is: then the next
  /// reader decodes again.
  @usableFromInline
  func store(_ value: Value, at generation: UInt64) {
    guard !content.pointee.isBusy.exchange(true, ordering: .acquiring) else { return }
    var old: Value?
    if content.pointee.generation < generation {
      old = content.pointee.value
      content.pointee.generation = generation
      content.pointee.value = value
    }
    content.pointee.isBusy.store(false, ordering: .releasing)
    // Only now: releasing an object may run any code.
    withExtendedLifetime(old) {}
  }
}
