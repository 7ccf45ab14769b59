import Defaults

/// A suite of a third party without entries. Its transactions change nothing, or fail.
package final class EmptySuite: Defaults.Suite {
  package let support: Defaults.SuiteSupport
  package let entries: [String: Defaults.PropertyListValue] = [:]
  /// The error of each transaction; nil if they run.
  private let failure: Defaults.SuiteError?

  package init(
    _ label: String, failingWith failure: Defaults.SuiteError? = nil,
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) {
    support = Defaults.SuiteSupport(label: label, onIssue: onIssue)
    self.failure = failure
  }

  package func entry(named name: String) -> Defaults.PropertyListValue? { nil }

  package func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    if let failure { throw failure }
    var draft = Defaults.Draft(of: self)
    return try body(&draft)
  }

  package func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    support.observe(names, options: options, initial: [:], handler)
  }

  package func flush() {}
}
