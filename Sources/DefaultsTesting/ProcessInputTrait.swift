import Defaults
import DefaultsLayers
import Testing

extension Defaults {
  /// Runs a closure with other arguments and environment variables for layers: `.arguments`,
  /// `.environment(prefix:)`, `.site()`.
  ///
  /// The replacements apply to the current task, as in ``withSuite(_:_:)``; the process's own
  /// arguments and variables are unchanged. A suite reads the replacements when the suite is
  /// created.
  ///
  /// ```swift
  /// try Defaults.withProcess(arguments: ["--volume=7"], environment: ["APP_THEME": "dark"]) {
  ///   let suite = try makeSuite()
  ///   #expect(suite[.volume] == 7)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the name of the program.
  ///   - environment: The environment variables.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
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

  /// A trait that gives each test arguments and environment variables; see `Trait.process`.
  public struct ProcessInputTrait: TestTrait, SuiteTrait, TestScoping {
    let input: ProcessInput

    /// True: a test suite applies the trait to each of its tests.
    @_documentation(visibility: internal)
    public var isRecursive: Bool { true }

    /// Runs a test case with the arguments and the environment.
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
  /// Gives each test case these arguments and environment variables, for layers. See
  /// `Defaults.withProcess`.
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
