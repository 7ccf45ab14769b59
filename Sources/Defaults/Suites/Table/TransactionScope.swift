import Foundation
import Synchronization

/// A running transaction of a thread. It traps on forbidden calls, and postpones other calls to the
/// end of the transaction.
package final class TransactionScope: Sendable {
  private struct State {
    var postponed: [@Sendable () -> Void] = []
    /// The name of the setting, if the transaction is an update of one.
    var updated: String?
    /// Whether the body runs under the lock of the suite.
    var isHoldingLock: Bool
  }

  /// The number of running transactions in this process. It is usually 0, which saves a setter the
  /// look-up of the task's context.
  private static let count = Atomic(0)

  private let thread = pthread_self()
  private let state: Lock<State>
  private let isOver = Atomic(false)
  /// nil for a scope that only postpones handlers.
  private let suite: ObjectIdentifier?
  private let label: String
  /// The transaction of another suite that encloses this one.
  private let outer: TransactionScope?

  init(of suite: ObjectIdentifier?, _ label: String, isHoldingLock: Bool = false) {
    self.suite = suite
    self.label = label
    state = Lock(State(isHoldingLock: isHoldingLock))
    outer = Self.current
    Self.count.wrappingAdd(1, ordering: .relaxed)
  }

  /// The innermost transaction of this thread. Tasks that were started in its body inherit the
  /// scope, but run on another thread or after its end.
  static var current: TransactionScope? {
    if count.load(ordering: .relaxed) == 0 { return nil }
    var scope = TaskContext.current.transaction
    while let inherited = scope, !inherited.isHere { scope = inherited.outer }
    return scope
  }

  /// Whether the transaction is running on this thread.
  private var isHere: Bool {
    pthread_equal(thread, pthread_self()) != 0 && !isOver.load(ordering: .relaxed)
  }

  private var chain: UnfoldFirstSequence<TransactionScope> { sequence(first: self, next: \.outer) }

  /// Records that this transaction is an update of one setting, for the message of a trap.
  func updates(_ name: String) { state.withLock { $0.updated = name } }

  /// Traps if this thread is in a transaction of the suite, with a message that names the forbidden
  /// call (`deed`).
  static func requireNone(of suite: some AnyObject, for deed: @autoclosure () -> String) {
    let suite = ObjectIdentifier(suite)
    guard let scope = current?.chain.first(where: { $0.suite == suite }) else { return }
    let update =
      scope.state.withLock { $0.updated }.map { ", an update of \"\(escaped($0))\"" } ?? ""
    fatalError(
      """
      The suite \(escaped(scope.label)) was \(deed()) inside of its own transaction\(update). \
      Use the draft there, and the suite afterwards.
      """)
  }

  /// Whether this thread is in a scope of an object.
  static func isInside(of object: ObjectIdentifier) -> Bool {
    current?.chain.contains { $0.suite == object } ?? false
  }

  func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try TaskContext.changing({ $0.transaction = self }, body)
  }

  /// Runs the postponed calls. Called without a lock. If another transaction encloses this one, the
  /// calls wait for the end of that transaction.
  func end() {
    if !isOver.exchange(true, ordering: .relaxed) {
      Self.count.wrappingSubtract(1, ordering: .relaxed)
    }
    let ended = state.exchange(State(isHoldingLock: false))
    for body in ended.postponed { Self.callOutside(body) }
  }

  /// Calls code of the program, which may do anything: at once or, in a transaction, at its end.
  package static func callOutside(_ body: @escaping @Sendable () -> Void) {
    guard let current else { return body() }
    current.state.withLock { $0.postponed.append(body) }
  }

  /// Runs a body during which this thread calls no handlers of suites. It calls them afterwards.
  ///
  /// For a body that changes suites under a lock that handlers may need.
  package static func postponingHandlers<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scope = TransactionScope(of: nil, "")
    defer { scope.end() }
    return try scope.run(body)
  }
}

// MARK: - Transactions that hold a lock

/// Two threads can deadlock if they nest the transactions of two suites in opposite orders and both
/// bodies run under the locks of their suites, as after two conflicts. So a thread that holds one
/// such lock has a timeout for the next.
extension TransactionScope {
  /// The timeout in milliseconds of a thread that holds the lock of one suite and waits for the
  /// lock of another. Random, so that one of two deadlocked threads times out first.
  static var longestWait: Int { .random(in: 3_000...6_000) }

  /// Whether this thread is in a transaction that runs under the lock of its suite.
  static var isHoldingLock: Bool {
    current?.chain.contains { $0.state.withLock { $0.isHoldingLock } } ?? false
  }

  /// Runs a body under the lock of the suite, which the caller has taken.
  func holdingLock<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.isHoldingLock = true }
    defer { state.withLock { $0.isHoldingLock = false } }
    return body()
  }
}

extension Lock<Void> {
  /// Runs a body under this lock, the writer lock of a suite.
  ///
  /// - Throws: `locked` in a transaction that holds the lock of another suite, if another thread
  ///   holds this lock for several seconds. It may be a deadlock.
  func withWriterLock<Result>(
    of label: @autoclosure () -> String, _ body: () throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    guard TransactionScope.isHoldingLock else {
      return try withLock { _ throws(SuiteError) in try body() }
    }
    let result = try withLockIfFree(attempts: TransactionScope.longestWait) {
      _ throws(SuiteError) in try body()
    }
    if let result { return result }
    throw SuiteError(
      .locked,
      "A transaction that holds the lock of another suite timed out waiting for this suite. Always "
        + "nest the transactions of these suites in the same order, and keep their bodies short",
      suite: label())
  }
}
