import Foundation
import Synchronization

/// A transaction that is running on a thread: what must not happen inside of it, and what has to wait
/// until it has ended.
final class TransactionScope: Sendable {
  private struct State {
    var postponed: [@Sendable () -> Void] = []
    /// The name of the setting, if the transaction is the update of a single one.
    var updated: String?
    /// Whether its body runs with the lock of the suite.
    var isHoldingLock: Bool
  }

  /// How many transactions are running in this process: mostly none, so that a set has nothing to look
  /// up.
  private static let count = Atomic(0)

  private let thread = pthread_self()
  private let state: Lock<State>
  private let isOver = Atomic(false)
  private let suite: ObjectIdentifier
  /// What that suite is called.
  private let label: String
  /// The transaction of another suite in which this one began.
  private let outer: TransactionScope?

  init(of suite: ObjectIdentifier, _ label: String, isHoldingLock: Bool = false) {
    self.suite = suite
    self.label = label
    state = Lock(State(isHoldingLock: isHoldingLock))
    outer = Self.current
    Self.count.wrappingAdd(1, ordering: .relaxed)
  }

  /// The innermost transaction of this thread. Tasks that were started in the body of a transaction
  /// inherit its scope, but aren't on its thread, or come to it when the transaction has ended.
  static var current: TransactionScope? {
    if count.load(ordering: .relaxed) == 0 { return nil }
    var scope = TaskContext.current.transaction
    while let inherited = scope, !inherited.isHere { scope = inherited.outer }
    return scope
  }

  /// Whether it is running on this thread.
  private var isHere: Bool {
    pthread_equal(thread, pthread_self()) != 0 && !isOver.load(ordering: .relaxed)
  }

  /// Whether this thread is in a transaction of any suite.
  static var isRunning: Bool { current != nil }

  /// This scope, and those around it.
  private var chain: UnfoldFirstSequence<TransactionScope> { sequence(first: self, next: \.outer) }

  /// Notes that this transaction is the update of one setting, for the sentence with which the
  /// program ends if others are written meanwhile.
  func updates(_ name: String) { state.withLock { $0.updated = name } }

  /// Ends the program if this thread is in a transaction of the suite, with a sentence that says
  /// what was done to the suite there.
  static func requireNone(of suite: some AnyObject, for deed: @autoclosure () -> String) {
    current?.requireNone(of: ObjectIdentifier(suite), for: deed())
  }

  private func requireNone(of suite: ObjectIdentifier, for deed: @autoclosure () -> String) {
    guard let scope = chain.first(where: { $0.suite == suite }) else { return }
    let update =
      scope.state.withLock { $0.updated }.map { ", an update of \"\(escaped($0))\"" } ?? ""
    fatalError(
      """
      the suite \(escaped(scope.label)) was \(deed()) inside of its own transaction\(update); \
      use the draft there, and the suite afterwards
      """)
  }

  /// Runs the body of the transaction.
  func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try TaskContext.changing({ $0.transaction = self }, body)
  }

  /// Calls what was postponed, when no lock is held; inside of another transaction it is postponed
  /// until that one has ended.
  func end() {
    if !isOver.exchange(true, ordering: .relaxed) {
      Self.count.wrappingSubtract(1, ordering: .relaxed)
    }
    let ended = state.exchange(State(isHoldingLock: false))
    for body in ended.postponed { Self.callOutside(body) }
  }

  /// Calls code of the program, which may do anything: at once, or when the transaction that runs on
  /// this thread has ended.
  static func callOutside(_ body: @escaping @Sendable () -> Void) {
    guard let current else { return body() }
    current.state.withLock { $0.postponed.append(body) }
  }
}

// MARK: - Transactions that hold a lock

/// Two threads that nest the transactions of two suites in opposite orders wait for each other only if
/// the bodies of both run with the lock of their suite, as a body does that was overtaken twice. Then a
/// thread that has one lock and wants another one has a deadline.
extension TransactionScope {
  /// How many milliseconds a thread that has the lock of a suite waits for that of another one. Not
  /// always the same, so that of two threads that wait for each other one goes on.
  static var longestWait: Int { .random(in: 3_000...6_000) }

  /// Whether this thread is in a transaction that runs with the lock of its suite.
  static var isHoldingLock: Bool {
    current?.chain.contains { $0.state.withLock { $0.isHoldingLock } } ?? false
  }

  /// Runs a body with the lock of the suite, which the caller has taken.
  func holdingLock<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.isHoldingLock = true }
    defer { state.withLock { $0.isHoldingLock = false } }
    return body()
  }
}

extension Lock<Void> {
  /// Runs a body with this lock, the writer lock of a suite.
  ///
  /// - Throws: `locked` inside of a transaction that holds the lock of another suite, if another thread
  ///   has this one for seconds: it may wait for that transaction.
  func withWriterLock<Result>(
    of label: @autoclosure () -> String, _ body: () throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    guard TransactionScope.isHoldingLock else {
      return try withLock { _ throws(SuiteError) in try body() }
    }
    var outcome: Swift.Result<Result, SuiteError>?
    _ = withLockIfFree(attempts: TransactionScope.longestWait) { _ in
      outcome = Swift.Result { () throws(SuiteError) in try body() }
    }
    if let outcome { return try outcome.get() }
    throw SuiteError(
      .locked,
      "A transaction of another suite, which runs with the lock of that, waited in vain for this one, "
        + "which is busy, or waits for that transaction. Nest the transactions of these suites in one "
        + "order, and keep their bodies short", suite: label())
  }
}
