import Defaults
import Testing

extension Defaults {
  /// A promise that every suite has to keep, and a check of it.
  ///
  /// Check one per case of a test, so that a failure names it:
  ///
  /// ```swift
  /// @Test("MySuite keeps the requirements", arguments: Defaults.SuiteRequirement.all)
  /// func requirements(requirement: Defaults.SuiteRequirement) async throws {
  ///   try await requirement.check { try MySuite() }
  /// }
  /// ```
  ///
  /// A check makes a suite of its own and fails the test that runs it, where the suite breaks the
  /// requirement. Checks of what is stored need a store, or a ``SuiteUnderTest`` with
  /// `storedEntries`; for any other suite they pass.
  ///
  /// That what can't be read is never taken for empty is a requirement, too (the fourth), but
  /// depends on what the suite reads, so it is for the suite's own tests; for a store, see
  /// ``checkUnreadable(ofStore:)``.
  public struct SuiteRequirement: Sendable, CustomTestStringConvertible {
    /// The requirement in a sentence.
    public let sentence: String
    /// The number of the requirement of suites that the sentence belongs to, from 1 to 15. Several
    /// requirements may have one number.
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

    /// All that can be checked without knowing the suite.
    public static let all = ofReading + ofWriting + ofStoring + ofDelivery + ofSilence

    /// The sentence, with its number.
    @_documentation(visibility: internal)
    public var testDescription: String { "\(number): \(sentence)" }

    /// Fails the running test where the suite breaks the requirement; see ``SuiteUnderTest`` for
    /// what a check may know of it.
    public func check(_ subject: SuiteUnderTest) async throws {
      try await body(subject)
    }

    /// Fails the running test where a suite breaks the requirement. The closure makes an empty one,
    /// in a place of its own. Some checks provoke issues, which are written to standard error
    /// unless the suite hands them to somebody.
    public func check(_ makeSuite: () throws -> any Suite) async throws {
      try await check(SuiteUnderTest(makeSuite()))
    }

    /// Like the form without, for a suite that hands its issues to a closure, which are then
    /// checked too.
    public func check(
      _ makeSuite: (_ onIssue: @escaping @Sendable (Defaults.Issue) -> Void) throws -> any Suite
    ) async throws {
      let issues = Log<Defaults.Issue>()
      try await check(SuiteUnderTest(makeSuite { issues.append($0) }, issues: { issues.all }))
    }

    /// Fails the running test where a store, with a ``StoredSuite`` on it, breaks the requirement.
    /// The closure makes an empty store; what is saved in it has to come back when it is loaded.
    public func check(ofStore makeStore: () throws -> some Store) async throws {
      let issues = Log<Defaults.Issue>()
      let store = try makeStore()
      let suite = try StoredSuite(store, onIssue: { issues.append($0) })
      try await check(
        SuiteUnderTest(suite, issues: { issues.all }, storedEntries: { try store.load() }))
    }

    /// Fails the running test where a store breaks the fourth requirement: what can't be read isn't
    /// missing.
    ///
    /// The closure makes a store on something that is there and can't be read, because it is
    /// damaged, of another version, or forbidden. Making or loading it has to throw, so that no
    /// suite begins empty there, and then saves that over what is there.
    public static func checkUnreadable(ofStore makeStore: () throws -> some Store) {
      #expect(throws: (any Error).self, "4: Unreadable is not missing") {
        try StoredSuite(makeStore(), onIssue: { _ in })
      }
    }
  }

  /// Fails the running test where a suite breaks one of the requirements; see ``SuiteRequirement``,
  /// which names it. The closure makes an empty suite, in a place of its own, and is called for
  /// each requirement.
  public static func checkRequirements(_ makeSuite: () throws -> any Suite) async throws {
    for requirement in SuiteRequirement.all { try await requirement.check(makeSuite) }
  }

  /// Fails the running test where a store breaks one of the requirements; see
  /// ``SuiteRequirement/check(ofStore:)``.
  public static func checkRequirements(ofStore makeStore: () throws -> some Store) async throws {
    for requirement in SuiteRequirement.all { try await requirement.check(ofStore: makeStore) }
  }
}
