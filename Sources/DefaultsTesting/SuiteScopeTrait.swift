import Defaults
import Testing

extension Defaults {
  /// A trait that gives each test a standard suite of its own: see `Trait.defaults`.
  public struct SuiteScopeTrait: TestTrait, SuiteTrait, TestScoping {
    let makeSuite: @Sendable () throws -> any Suite

    /// True: a test suite with the trait gives it to each of its tests.
    @_documentation(visibility: internal)
    public var isRecursive: Bool { true }

    /// Runs a case of a test in a scope with a new suite.
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
  /// Each case of each test has a standard suite of its own, in memory and empty, so that tests
  /// which run at the same time meet neither each other nor the user's settings.
  ///
  /// ```swift
  /// @Suite(.defaults)
  /// struct PlayerTests {
  ///   @Test func volume() {
  ///     Defaults[.volume] = 3  // seen by this test alone
  ///   }
  /// }
  /// ```
  ///
  /// Tasks of a test inherit the suite, threads and detached tasks don't: see
  /// `Defaults.withSuite`.
  public static var defaults: Self { Self { Defaults.MemorySuite() } }

  /// Each case of each test has a standard suite of its own, which the expression makes.
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
