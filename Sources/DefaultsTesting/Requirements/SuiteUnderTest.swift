import Defaults
import Testing

extension Defaults {
  /// An empty suite that a requirement is checked on, and what can be found out about it from
  /// outside.
  public struct SuiteUnderTest: Sendable {
    /// The suite.
    public let suite: any Suite

    /// How many seconds a read may take before it counts as waiting for something.
    package var patience = 60.0

    private let issues: (@Sendable () -> [Defaults.Issue])?
    private let stored: (@Sendable () throws -> [String: PropertyListValue])?

    /// The subject of a check. A check leaves out what it can't know.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - issues: Returns the issues that the suite has reported so far.
    ///   - storedEntries: Returns the entries that another process finds, which opens the same
    ///     place now: read them from there, not from the suite. It is called after a flush.
    public init(
      _ suite: any Suite, issues: (@Sendable () -> [Defaults.Issue])? = nil,
      storedEntries: (@Sendable () throws -> [String: PropertyListValue])? = nil
    ) {
      self.suite = suite
      self.issues = issues
      stored = storedEntries
    }

    /// Fails unless these are the codes of all issues so far.
    func expectIssues(
      _ codes: [SuiteError.Code], sourceLocation: SourceLocation = #_sourceLocation
    ) {
      guard let issues else { return }
      #expect(issues().map(\.code) == codes, sourceLocation: sourceLocation)
    }

    /// The texts of the issues so far; nil if nobody knows them.
    var issueTexts: [String]? { issues?().map(\.description) }

    /// What another process finds, after a flush; nil if nobody knows that.
    func storedEntries() throws -> [String: PropertyListValue]? {
      guard let stored else { return nil }
      try suite.flush(.snapshot)
      return try stored()
    }
  }
}
