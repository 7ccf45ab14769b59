extension TaskLocal {
  /// Runs a closure with a value, and throws just what it throws, which `withValue` doesn't know.
  func during<Result, Failure: Error>(
    _ value: Value, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome = withValue(value) { Swift.Result { () throws(Failure) in try body() } }
    return try outcome.get()
  }

  /// Runs an asynchronous closure with a value, and throws just what it throws.
  func during<Result, Failure: Error>(
    _ value: Value, isolation: isolated (any Actor)?, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = await withValue(value) {
      do throws(Failure) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
