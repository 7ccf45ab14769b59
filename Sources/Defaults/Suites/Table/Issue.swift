import Foundation
import Synchronization

extension Defaults {
  /// A problem that no call can throw: a stored value that doesn't decode, a failed save in the
  /// background, a quarantined file.
  public struct Issue: Sendable, CustomStringConvertible {
    /// The error, with its code, suite, key, path and underlying error.
    public let error: SuiteError

    /// Creates an issue about an error.
    public init(_ error: SuiteError) { self.error = error }

    /// The kind of problem.
    public var code: SuiteError.Code { error.code }
    /// The suite's label.
    public var suite: String? { error.suite }
    /// The problem and the remedy, in one or two sentences without a final period.
    public var reason: String { error.reason }
    /// The name of the affected key.
    public var key: String? { error.key }
    /// The path of the file or folder, if the issue is about a file or folder.
    public var path: String? { error.path }
    /// The error that caused the issue.
    public var underlying: (any Error)? { error.underlying }
    /// The line that is written to standard error.
    @_documentation(visibility: internal)
    public var description: String { "Defaults: \(error)" }
  }

  /// The handler for the issues of all suites without a handler of their own.
  ///
  /// A handler is called once per distinct problem, on any thread, outside of every lock and
  /// transaction. It may read and write settings. The handler must not use a key that isn't
  /// initialized yet, since the key may open the suite that has the problem. The default handler
  /// writes a line to standard error and never ends the program. It skips the line if standard
  /// error is closed, broken or full, or isn't read for a second. Replace it at launch:
  ///
  /// ```swift
  /// Defaults.issueHandler = { issue in logger.error("\(issue)") }
  /// ```
  public static var issueHandler: @Sendable (Issue) -> Void {
    get { sharedIssueHandler.withLock(\.call) }
    set { sharedIssueHandler.replace(with: IssueHandler(call: newValue)) }
  }

  private static let sharedIssueHandler = Lock(
    IssueHandler { StandardError.write(line: $0.description) })
}

/// A struct, since a generic type that stores a function itself wraps it again with each access,
/// until a call overflows the stack.
private struct IssueHandler: Sendable {
  let call: @Sendable (Defaults.Issue) -> Void
}

/// Passes each distinct issue of a suite to the handler once.
final class IssueReporter: Sendable {
  private let handler: (@Sendable (Defaults.Issue) -> Void)?
  /// The reported lines by key ("" for none). The numbers of keys and lines are bounded, so that
  /// many different issues can't exhaust memory.
  ///
  /// The key isn't optional, since the first dictionary with a new key type costs a process 0.1 ms.
  private let reported = Lock([String: Set<String>]())
  /// Whether nothing was ever reported, so that setters have nothing to remove.
  private let isEmpty = Atomic(true)

  private static let capacity = 1_000

  init(handler: (@Sendable (Defaults.Issue) -> Void)?) { self.handler = handler }

  func report(_ issue: Defaults.Issue) {
    guard isNew(issue) else { return }
    let handler = handler ?? Defaults.issueHandler
    // Like an observer, without the silence and the origin of the call that failed.
    TransactionScope.callOutside {
      TaskContext.handling(in: TaskContext.current.scope) { handler(issue) }
    }
  }

  /// Records the issue and returns whether it wasn't recorded before.
  func isNew(_ issue: Defaults.Issue) -> Bool {
    reported.withLock { reported in
      if reported.count > Self.capacity { reported = [:] }
      let key = issue.key ?? ""
      if let lines = reported[key]?.count, lines > Self.capacity { reported[key] = nil }
      isEmpty.store(false, ordering: .relaxed)
      return reported[key, default: []].insert(issue.description).inserted
    }
  }

  /// Allows an issue to be reported again, because its cause no longer exists.
  func forget(_ issue: Defaults.Issue) {
    if isEmpty.load(ordering: .relaxed) { return }
    reported.withLock { _ = $0[issue.key ?? ""]?.remove(issue.description) }
  }

  /// Allows the issues about a key (nil: about saving) to be reported again, because their cause no
  /// longer exists.
  func forgetIssues(about key: String?) {
    if isEmpty.load(ordering: .relaxed) { return }
    reported.withLock { $0[key ?? ""] = nil }
  }
}

/// The program's standard error, for lines that may be lost.
///
/// Foundation's `FileHandle` would end the program if standard error is closed, full, or a pipe
/// without a reader.
enum StandardError {
  /// The time in milliseconds to wait for a pipe or terminal that is full.
  private static let patience: CInt = 1_000

  /// Writes a line in one call. The line is lost if there is no descriptor, the pipe is broken, the
  /// disk is full, or no program reads. Raises no signal and never waits longer than a second.
  ///
  /// If standard error was closed and the program opened a file under its number, the line goes
  /// there.
  static func write(line: String) {
    var target = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    while poll(&target, 1, patience) < 0, errno == EINTR {}
    // A regular file is always ready. Any other file that isn't ready by now would block the
    // program.
    guard target.revents != 0, target.revents & Int16(POLLNVAL) == 0 else { return }
    var text = line + "\n"
    text.withUTF8 { bytes in
      // SIGPIPE is raised if no process reads the pipe, SIGXFSZ if the file is too large.
      HeldSignals.hold(SIGPIPE, SIGXFSZ) {
        // Without the module, the name would mean this method.
        while Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
      }
    }
  }
}
