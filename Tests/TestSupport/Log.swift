import Defaults
import DefaultsTesting

package typealias Log = DefaultsTesting.Log

/// Collects the issues of one suite.
package typealias IssueLog = Log<Defaults.Issue>

extension Log<Defaults.Issue> {
  /// The codes of the issues so far, in order.
  package var codes: [Defaults.SuiteError.Code] { all.map(\.code) }
}
