/// Doing something again because another process changed meanwhile what it is about.
enum Retry {
  /// Returns the first result of a body that isn't nil, which means: changed meanwhile.
  ///
  /// - Parameters:
  ///   - attempts: How often the body is called at most.
  ///   - failure: The error after that many attempts, which says what never stayed the same.
  static func upTo<Result, Failure: Error>(
    _ attempts: Int, orThrow failure: @autoclosure () -> Failure,
    _ body: () throws(Failure) -> Result?
  ) throws(Failure) -> Result {
    for _ in 0..<attempts {
      if let result = try body() { return result }
    }
    throw failure()
  }
}
