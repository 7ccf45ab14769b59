#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The copies of a value that several threads read at once.
///
/// Copying a string or an array counts a reference, in memory that all of its copies share: two
/// threads that read one string take five times as long as each alone. So threads that meet get a
/// copy each, decoded anew, which shares nothing. Which one is whose follows from the thread's
/// number, so that it stays in that thread's cache.
@usableFromInline
struct DecodedCopies<Value: Sendable> {
  @usableFromInline static var count: Int { 16 }
  @usableFromInline let first: UnsafeMutablePointer<DecodedCopy<Value>>

  /// The copies at an address, which was that of others.
  @usableFromInline
  init(at address: UnsafeMutableRawPointer) {
    first = address.assumingMemoryBound(to: DecodedCopy<Value>.self)
  }

  /// New copies, to be deallocated by hand: a reference to an object would be counted, too.
  init() {
    first = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (first + index).initialize(to: DecodedCopy()) }
  }

  func deallocate() {
    first.deinitialize(count: Self.count)
    first.deallocate()
  }

  /// The calling thread's place. Stacks lie in a row, so that threads begun one after the other
  /// have places of their own.
  @inlinable
  static var place: Int {
    #if canImport(Darwin)
      let thread = Int(bitPattern: pthread_self())
    #else
      let thread = Int(truncatingIfNeeded: pthread_self())
    #endif
    return (thread >> 12) & (count - 1)
  }

  /// The value decoded at this generation, from the thread's copy or, if another thread is at that,
  /// the next one.
  @inlinable
  func value(at current: UInt64) -> Value? {
    let place = Self.place
    switch first[place].value(at: current) {
    case .found(let value): return value
    case .stale: return nil
    case .busy:
      guard case .found(let value) = first[(place + 1) & (Self.count - 1)].value(at: current)
      else { return nil }
      return value
    }
  }

  /// Keeps a value, which shares no memory with that of any other thread.
  @usableFromInline
  func store(_ value: Value, at generation: UInt64) {
    first[Self.place].store(value, at: generation)
  }
}
