import Defaults
import Synchronization

/// Collects what a handler is told, from whatever thread.
final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  var count: Int { all.count }
  var last: Element? { all.last }

  func append(_ element: Element) {
    elements.withLock { $0.append(element) }
  }
}

/// Collects the issues of one suite.
typealias IssueLog = Log<Defaults.Issue>

extension Log<Defaults.Issue> {
  /// The codes of the issues so far, in order.
  var codes: [Defaults.SuiteError.Code] { all.map(\.code) }
}
