import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults {
  /// A problem that no call can throw: a stored value that doesn't decode, a save that failed in
  /// the background, a file that was quarantined.
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
    @_documentation(visibility: internal)
    public var description: String { "Defaults: \(error)" }
  }

  /// Takes the issues of all suites that have no handler of their own.
  ///
  /// The handler that is set at first writes a line to standard error, and nothing where that is
  /// closed, broken, full, or not read for a second: it never ends the program. A handler runs on
  /// whatever thread found the problem, outside every lock and transaction, once per distinct
  /// problem. It may read and write settings; but the first use of a key may open its suite, and so
  /// be what has the problem, so it mustn't need a key that isn't there yet. Replace it at launch:
  ///
  /// ```swift
  /// Defaults.issueHandler = { issue in logger.error("\(issue)") }
  /// ```
  public static var issueHandler: @Sendable (Issue) -> Void {
    get { sharedIssueHandler.withLock { $0 } }
    set { sharedIssueHandler.replace(with: newValue) }
  }

  private static let sharedIssueHandler = Lock<@Sendable (Issue) -> Void>({ issue in
    StandardError.write(line: issue.description)
  })
}

/// Passes on each distinct issue of one suite once.
final class IssueReporter: Sendable {
  private let handler: (@Sendable (Defaults.Issue) -> Void)?
  /// The lines that were reported, by key, "" for none; both are bounded, so that a flood of
  /// different ones can't grow it.
  ///
  /// Not by an optional key: the first dictionary of a new kind of key costs a process 0.1 ms.
  private let reported = Lock([String: Set<String>]())
  /// Whether nothing was ever reported, so that a setter has nothing to forget.
  private let isEmpty = Atomic(true)

  private static let capacity = 1_000

  init(handler: (@Sendable (Defaults.Issue) -> Void)?) { self.handler = handler }

  func report(_ issue: Defaults.Issue) {
    guard isNew(issue) else { return }
    let handler = handler ?? Defaults.issueHandler
    TransactionScope.callOutside { handler(issue) }
  }

  /// Whether the issue wasn't reported before; from now on it counts as reported.
  func isNew(_ issue: Defaults.Issue) -> Bool {
    reported.withLock { reported in
      if reported.count > Self.capacity { reported = [:] }
      let key = issue.key ?? ""
      if let lines = reported[key]?.count, lines > Self.capacity { reported[key] = nil }
      isEmpty.store(false, ordering: .relaxed)
      return reported[key, default: []].insert(issue.description).inserted
    }
  }

  /// Lets an issue be reported again, because it is over.
  func forget(_ issue: Defaults.Issue) {
    if isEmpty.load(ordering: .relaxed) { return }
    reported.withLock { _ = $0[issue.key ?? ""]?.remove(issue.description) }
  }

  /// Lets issues be reported again that were about a key, or about saving if `key` is nil, because
  /// they are over.
  func forgetIssues(about key: String?) {
    if isEmpty.load(ordering: .relaxed) { return }
    reported.withLock { $0[key ?? ""] = nil }
  }
}

/// The program's standard error, for a line that the program can do without.
///
/// Foundation's `FileHandle` ends the program where that is closed, full, or a pipe that nobody
/// reads.
enum StandardError {
  /// How long a pipe or terminal that takes nothing is waited for, in milliseconds.
  private static let patience: CInt = 1_000

  /// Writes a line in one call, or none where that can't be done: no descriptor, a broken pipe, a
  /// full disk, no reader. Raises no signal, and never waits longer than a second.
  ///
  /// A file that the program opened under the number of a standard error that was closed can't be
  /// told from one.
  static func write(line: String) {
    var target = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    while poll(&target, 1, patience) < 0, errno == EINTR {}
    // A regular file is always ready; what isn't, after a second, would hold up the program.
    guard target.revents != 0, target.revents & Int16(POLLNVAL) == 0 else { return }
    var text = line + "\n"
    text.withUTF8 { bytes in
      // SIGPIPE where no process reads anymore, SIGXFSZ where it is a file that has got too large.
      HeldSignals.hold(SIGPIPE, SIGXFSZ) {
        while systemWrite(STDERR_FILENO, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
      }
    }
  }
}

/// `write(2)`, which inside of the type above would be its own method.
private func systemWrite(_ number: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(number, bytes, count)
}
