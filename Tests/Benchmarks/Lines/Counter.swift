/// Numbers of which each is new, so that setting it is a change.
final class Counter {
  /// The last one.
  private(set) var value = 0

  @inline(__always)
  func next() -> Int {
    value &+= 1
    return value
  }
}
