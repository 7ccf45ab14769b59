/// Repeats an operation when another process has changed its subject meanwhile.
enum Retry {
  /// Returns the first result of the body that isn't nil.
  ///
  /// - Parameters:
  ///   - attempts: The maximum number of calls of the body.
  ///   - failure: The error after the last attempt.
  ///   - body: Returns nil if another process has interfered.
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
