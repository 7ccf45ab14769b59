import Defaults
import Testing

extension Defaults {
  /// A requirement of every suite, and a check of it.
  ///
  /// Check one requirement per test case, so that a failure names it:
  ///
  /// ```swift
  /// @Test("MySuite keeps the requirements", arguments: Defaults.SuiteRequirement.all)
  /// func requirements(requirement: Defaults.SuiteRequirement) async throws {
  ///   try await requirement.check { try MySuite() }
  /// }
  /// ```
  ///
  /// A check creates its own suite, and fails the running test if the suite doesn't meet the
  /// requirement. Checks of stored entries need a store, or a ``SuiteUnderTest`` with
  /// `storedEntries`; they pass for any other suite.
  ///
  /// The fourth requirement, that an unreadable file is never treated as empty, depends on what the
  /// suite reads. Test this requirement in the suite's own tests; for a store, use
  /// ``checkUnreadable(ofStore:)``.
  public struct SuiteRequirement: Sendable, CustomTestStringConvertible {
    /// The requirement in a sentence.
    public let sentence: String
    /// The number of the requirement of suites, from 1 to 15. Several requirements may have one
    /// number.
    public let number: Int

    private let body: @Sendable (SuiteUnderTest) async throws -> Void

    init(
      _ number: Int, _ sentence: String,
      _ body: @escaping @Sendable (SuiteUnderTest) async throws -> Void
    ) {
      self.number = number
      self.sentence = sentence
      self.body = body
    }

    /// All requirements that can be checked for any suite.
    public static let all = ofReading + ofWriting + ofStoring + ofDelivery + ofSilence

    /// The sentence, with its number.
    @_documentation(visibility: internal)
    public var testDescription: String { "\(number): \(sentence)" }

    /// Fails the running test if the suite doesn't meet the requirement.
    public func check(_ subject: SuiteUnderTest) async throws {
      try await body(subject)
    }

    /// Fails the running test if a suite doesn't meet the requirement. Some checks provoke issues,
    /// which are written to standard error unless the suite has its own handler.
    ///
    /// - Parameter makeSuite: Creates an empty suite in its own place.
    public func check(_ makeSuite: () throws -> any Suite) async throws {
      try await check(SuiteUnderTest(makeSuite()))
    }

    /// Fails the running test if a suite, including the issues that it reports, doesn't meet the
    /// requirement.
    ///
    /// - Parameter makeSuite: Creates an empty suite that hands its issues to `onIssue`.
    public func check(
      _ makeSuite: (_ onIssue: @escaping @Sendable (Defaults.Issue) -> Void) throws -> any Suite
    ) async throws {
      let issues = Log<Defaults.Issue>()
      try await check(SuiteUnderTest(makeSuite { issues.append($0) }, issues: { issues.all }))
    }

    /// Fails the running test if a store, used by a ``StoredSuite``, doesn't meet the requirement.
    ///
    /// - Parameter makeStore: Creates an empty store. Loading it must return what was saved in it.
    public func check(ofStore makeStore: () throws -> some Store) async throws {
      let issues = Log<Defaults.Issue>()
      let store = try makeStore()
      let suite = try StoredSuite(store, onIssue: { issues.append($0) })
      try await check(
        SuiteUnderTest(suite, issues: { issues.all }, storedEntries: { try store.load() }))
    }

    /// Fails the running test if a store doesn't meet the fourth requirement: unreadable is not
    /// missing.
    ///
    /// - Parameter makeStore: Creates a store on content that can't be read because it is damaged,
    ///   of another version, or not permitted. Creating or loading it must throw, so that no suite
    ///   starts empty and overwrites that content.
    public static func checkUnreadable(ofStore makeStore: () throws -> some Store) {
      #expect(throws: (any Error).self, "4: Unreadable is not missing") {
        try StoredSuite(makeStore(), onIssue: { _ in })
      }
    }
  }

  /// Fails the running test if a suite doesn't meet all requirements. See ``SuiteRequirement``.
  ///
  /// - Parameter makeSuite: Creates an empty suite in its own place. Called for each requirement.
  public static func checkRequirements(_ makeSuite: () throws -> any Suite) async throws {
    for requirement in SuiteRequirement.all { try await requirement.check(makeSuite) }
  }

  /// Fails the running test if a store doesn't meet all requirements. See
  /// ``SuiteRequirement/check(ofStore:)``.
  public static func checkRequirements(ofStore makeStore: () throws -> some Store) async throws {
    for requirement in SuiteRequirement.all { try await requirement.check(ofStore: makeStore) }
  }
}
