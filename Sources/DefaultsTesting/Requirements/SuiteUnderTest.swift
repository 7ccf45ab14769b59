import Defaults
import Testing

extension Defaults {
  /// An empty suite to check a requirement, with optional access to its issues and stored entries.
  public struct SuiteUnderTest: Sendable {
    /// The suite.
    public let suite: any Suite

    /// The number of seconds after which a read counts as blocked.
    package var patience = 60.0

    private let issues: (@Sendable () -> [Defaults.Issue])?
    private let stored: (@Sendable () throws -> [String: PropertyListValue])?
    private let durable: (@Sendable () throws -> [String: PropertyListValue])?

    /// Creates the subject of a check. Parts of a check that need missing parameters are skipped.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - issues: Returns the issues that the suite has reported so far.
    ///   - storedEntries: Returns the entries that another process would find in the same place.
    ///     Read them from there, not from the suite. Called after `flush(.snapshot)`.
    ///   - durableEntries: Returns the entries that the suite would have in another process. Called
    ///     after `flush()`. Pass it if that flush stores changes in another place, such as a
    ///     journal, where `storedEntries` doesn't look. The default is `storedEntries`.
    public init(
      _ suite: any Suite, issues: (@Sendable () -> [Defaults.Issue])? = nil,
      storedEntries: (@Sendable () throws -> [String: PropertyListValue])? = nil,
      durableEntries: (@Sendable () throws -> [String: PropertyListValue])? = nil
    ) {
      self.suite = suite
      self.issues = issues
      stored = storedEntries
      durable = durableEntries ?? storedEntries
    }

    /// Fails unless these are the codes of all issues so far.
    func expectIssues(
      _ codes: [SuiteError.Code], sourceLocation: SourceLocation = #_sourceLocation
    ) {
      guard let issues else { return }
      #expect(issues().map(\.code) == codes, sourceLocation: sourceLocation)
    }

    /// The texts of the issues so far; nil if they aren't accessible.
    var issueTexts: [String]? { issues?().map(\.description) }

    /// The entries that another process finds after `flush(.snapshot)`; nil if they aren't
    /// accessible.
    func storedEntries() throws -> [String: PropertyListValue]? {
      guard let stored else { return nil }
      try suite.flush(.snapshot)
      return try stored()
    }

    /// The entries that another process finds after `flush()`; nil if they aren't accessible.
    func durableEntries() throws -> [String: PropertyListValue]? {
      guard let durable else { return nil }
      try suite.flush()
      return try durable()
    }
  }
}
