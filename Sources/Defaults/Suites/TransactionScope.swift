import Foundation
import Synchronization

/// A transaction that is running on a thread, for what must not happen before it has ended.
final class TransactionScope: Sendable {
  private struct State {
    var postponed: [@Sendable () -> Void] = []
    /// The name of the setting, if the transaction is the update of a single one.
    var updated: String?
  }

  private let thread = pthread_self()
  private let state = Lock(State())
  private let isOver = Atomic(false)
  /// The suite whose writer lock the transaction holds.
  private let suite: ObjectIdentifier
  /// What that suite is called.
  private let label: String
  /// The transaction of another suite in which this one began.
  private let outer: TransactionScope?

  init(of suite: ObjectIdentifier, _ label: String) {
    self.suite = suite
    self.label = label
    outer = Self.current
  }

  /// The innermost transaction of this thread. Tasks that were started in the body of a transaction
  /// inherit its scope, but aren't on its thread, or come to it when the transaction has ended.
  static var current: TransactionScope? {
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

  /// Whether this thread is in a transaction of the suite.
  static func isRunning(of suite: some AnyObject) -> Bool {
    current?.chain.contains { $0.suite == ObjectIdentifier(suite) } ?? false
  }

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

  /// Runs what happens under the writer lock of the suite.
  func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try TaskContext.changing({ $0.transaction = self }, body)
  }

  /// Calls what was put off, after the writer lock was released; inside of another transaction it
  /// is put off until that one has ended.
  func end() {
    isOver.store(true, ordering: .relaxed)
    for body in state.exchange(State()).postponed { Self.callOutside(body) }
  }

  /// Calls somebody's code, which may do anything: at once, or when the transaction that runs on
  /// this thread has ended.
  static func callOutside(_ body: @escaping @Sendable () -> Void) {
    guard let current else { return body() }
    current.state.withLock { $0.postponed.append(body) }
  }
}

// MARK: - Deadlocks

/// Two threads that nest the transactions of two suites in opposite order would wait for each other
/// forever, so the second of them gets an error instead. Only a thread that is in a transaction can
/// be part of that; a set outside of one has nothing to note.
extension TransactionScope {
  private struct Wait {
    let scope: TransactionScope
    /// The suites whose writer locks the waiting thread holds.
    let held: [(suite: ObjectIdentifier, label: String)]
    let wanted: ObjectIdentifier
  }

  /// The threads that wait for a suite inside of a transaction of another one.
  private static let waits = Lock([Wait]())

  /// Notes that this thread is going to wait for a suite, if it is in a transaction of another one;
  /// returns that, for its `endWait`. Throws `deadlock` if the thread that holds the suite waits,
  /// itself or by way of others, for one that this thread holds. Ends the program in a transaction
  /// of the suite itself.
  static func beginWait(
    for suite: some AnyObject, _ label: @autoclosure () -> String,
    toBe deed: @autoclosure () -> String
  ) throws(SuiteError) -> TransactionScope? {
    guard let current else { return nil }
    current.requireNone(of: ObjectIdentifier(suite), for: deed())
    try current.beginWait(for: ObjectIdentifier(suite), label())
    return current
  }

  private func beginWait(for wanted: ObjectIdentifier, _ label: String) throws(SuiteError) {
    let held = chain.map { (suite: $0.suite, label: $0.label) }
    let obstacle = Self.waits.withLock { waits -> String? in
      var next = wanted
      for _ in 0...waits.count {
        // Each suite is held by one thread at most.
        guard let holder = waits.first(where: { $0.held.contains { $0.suite == next } })
        else { break }
        if let own = held.first(where: { $0.suite == holder.wanted }) { return own.label }
        next = holder.wanted
      }
      waits.removeAll { $0.scope === self }
      waits.append(Wait(scope: self, held: held, wanted: wanted))
      return nil
    }
    guard let obstacle else { return }
    throw SuiteError(
      .deadlock,
      "A transaction of \(obstacle) uses \(label), while another thread does it the other way "
        + "round, so each would wait for the other. Nest the transactions of these two suites in "
        + "one order everywhere; nothing was changed by this one",
      suite: label)
  }

  /// Notes that the thread has got the suite, or doesn't wait for it anymore. May be called more
  /// than once.
  func endWait() { Self.waits.withLock { waits in waits.removeAll { $0.scope === self } } }
}

extension SuiteError.Code {
  /// Two threads nest the transactions of two suites in opposite order; the one that this is thrown
  /// to was not made.
  public static let deadlock = Self(rawValue: "deadlock")
}
