import Defaults
import Testing

extension Defaults {
  /// A trait that gives each test its own standard suite; see `Trait.defaults`.
  public struct SuiteScopeTrait: TestTrait, SuiteTrait, TestScoping {
    let makeSuite: @Sendable () throws -> any Suite

    /// True: a test suite applies the trait to each of its tests.
    @_documentation(visibility: internal)
    public var isRecursive: Bool { true }

    /// Runs a test case in a scope with a new suite.
    @_documentation(visibility: internal)
    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await run(in: makeSuite(), function)
    }

    private func run(
      in suite: some Suite,
      _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await Defaults.withSuite(suite) { try await function() }
    }
  }
}

extension Trait where Self == Defaults.SuiteScopeTrait {
  /// Gives each test case its own standard suite, in memory and empty, so that parallel tests
  /// affect neither each other nor the user's settings.
  ///
  /// ```swift
  /// @Suite(.defaults)
  /// struct PlayerTests {
  ///   @Test func volume() {
  ///     Defaults[.volume] = 3  // only visible in this test
  ///   }
  /// }
  /// ```
  ///
  /// Tasks of a test inherit the suite; threads and detached tasks don't. See `Defaults.withSuite`.
  public static var defaults: Self { Self { Defaults.MemorySuite() } }

  /// Gives each test case its own standard suite, created by the expression.
  ///
  /// ```swift
  /// @Test(.defaults(Defaults.MemorySuite(["volume": 11])))
  /// ```
  public static func defaults(
    _ makeSuite: @autoclosure @escaping @Sendable () throws -> any Defaults.Suite
  ) -> Self {
    Self(makeSuite: makeSuite)
  }
}
