import Defaults
import DefaultsTesting

typealias Log = DefaultsTesting.Log

/// Collects the issues of one suite.
typealias IssueLog = Log<Defaults.Issue>

extension Log<Defaults.Issue> {
  /// The codes of the issues so far, in order.
  var codes: [Defaults.SuiteError.Code] { all.map(\.code) }
}
