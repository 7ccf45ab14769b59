import Foundation
import Synchronization

extension Defaults {
  /// A problem that no call can throw: a stored value that doesn't decode, a save that failed in
  /// the background, a file that was set aside.
  public struct Issue: Sendable, CustomStringConvertible {
    /// What happened, with code, suite, key, path and underlying error.
    public let error: SuiteError

    /// An issue about an error.
    public init(_ error: SuiteError) { self.error = error }

    /// What kind of problem it is.
    public var code: SuiteError.Code { error.code }
    /// The suite's label.
    public var suite: String? { error.suite }
    /// The name of the key that it is about.
    public var key: String? { error.key }
    /// The error that caused it.
    public var underlying: (any Error)? { error.underlying }
    /// One line, as it is written to standard error.
    public var description: String { "Defaults: \(error)" }
  }

  /// Takes the issues of all suites that have no handler of their own.
  ///
  /// The first one writes a line to standard error, and nothing where that is closed, broken, full,
  /// or not read for a second: it never ends the program. A handler runs on whatever thread found the
  /// problem, outside every lock and transaction, once per distinct problem. It may read and write
  /// settings; but the first use of a key may open its suite, and so be what has the problem, so it
  /// mustn't need a key that isn't there yet. Replace it at launch:
  ///
  /// ```swift
  /// Defaults.issueHandler = { issue in logger.error("\(issue)") }
  /// ```
  public static var issueHandler: @Sendable (Issue) -> Void {
    get { sharedIssueHandler.withLock { $0 } }
    set {
      // The old one goes outside of the lock, with what it captured.
      _ = sharedIssueHandler.withLock { handler in
        defer { handler = newValue }
        return handler
      }
    }
  }

  private static let sharedIssueHandler = Lock<@Sendable (Issue) -> Void>({ issue in
    StandardError.write(line: issue.description)
  })
}

/// Passes on each distinct issue of one suite once.
final class IssueReporter: Sendable {
  private let handler: (@Sendable (Defaults.Issue) -> Void)?
  /// The lines that were reported, by key; both are bounded, so that a flood of different ones
  /// can't grow it.
  private let reported = Lock([String?: Set<String>]())
  /// Whether there may be any: a setter forgets what is over, and mostly there is nothing.
  private let isEmpty = Atomic(true)

  private static let capacity = 1_000

  init(handler: (@Sendable (Defaults.Issue) -> Void)?) {
    self.handler = handler
  }

  func report(_ issue: Defaults.Issue) {
    guard isNew(issue) else { return }
    let handler = handler ?? Defaults.issueHandler
    TransactionScope.callOutside { handler(issue) }
  }

  /// Whether the issue wasn't seen before; from now on it was.
  func isNew(_ issue: Defaults.Issue) -> Bool {
    reported.withLock { reported in
      if reported.count > Self.capacity { reported = [:] }
      if let lines = reported[issue.key]?.count, lines > Self.capacity { reported[issue.key] = nil }
      isEmpty.store(false, ordering: .relaxed)
      return reported[issue.key, default: []].insert(issue.description).inserted
    }
  }

  func forgetIssues(about key: String?) {
    if isEmpty.load(ordering: .relaxed) { return }
    reported.withLock { $0[key] = nil }
  }
}
