import Defaults
import DefaultsLayers
import Testing

extension Defaults {
  /// Runs a closure for which the process has other arguments and another environment, as far as
  /// layers look at them: `.arguments`, `.environment(prefix:)`, `.site()`.
  ///
  /// The scope is of the task, as that of ``withSuite(_:_:)``; the process itself keeps what it
  /// has. A suite takes them when it is made.
  ///
  /// ```swift
  /// try Defaults.withProcess(arguments: ["--volume=7"], environment: ["APP_THEME": "dark"]) {
  ///   let suite = try makeSuite()
  ///   #expect(suite[.volume] == 7)
  /// }
  /// ```
  public static func withProcess<Value, Failure: Error>(
    arguments: [String] = [], environment: [String: String] = [:],
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let input = ProcessInput(arguments: arguments, environment: environment)
    let outcome = ProcessInput.$replacement.withValue(input) {
      Result { () throws(Failure) in try body() }
    }
    return try outcome.get()
  }

  /// A trait that gives each test arguments and an environment: see `Trait.process`.
  public struct ProcessInputTrait: TestTrait, SuiteTrait, TestScoping {
    let input: ProcessInput

    /// True: a test suite with the trait gives it to each of its tests.
    @_documentation(visibility: internal)
    public var isRecursive: Bool { true }

    /// Runs a case of a test with them.
    @_documentation(visibility: internal)
    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await ProcessInput.$replacement.withValue(input) { try await function() }
    }
  }
}

extension Trait where Self == Defaults.ProcessInputTrait {
  /// Each case of each test has these arguments and this environment, as far as layers look at
  /// them; see `Defaults.withProcess`.
  ///
  /// ```swift
  /// @Test(.process(arguments: ["--volume=7"]))
  /// ```
  public static func process(
    arguments: [String] = [], environment: [String: String] = [:]
  ) -> Self {
    Self(input: ProcessInput(arguments: arguments, environment: environment))
  }
}
