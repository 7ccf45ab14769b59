/// A source of new numbers, so that each set is a change.
final class Counter {
  /// The latest number.
  private(set) var value = 0

  @inline(__always)
  func next() -> Int {
    value &+= 1
    return value
  }
}
