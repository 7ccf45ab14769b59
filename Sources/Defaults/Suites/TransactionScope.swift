import Foundation

/// A transaction that is running on a thread, for what must not happen before it has ended.
final class TransactionScope: Sendable {
  private let thread = pthread_self()
  private let postponed = Lock([@Sendable () -> Void]())
  /// The suite whose writer lock the transaction holds.
  private let suite: ObjectIdentifier
  /// What that suite is called.
  private let label: String
  /// The transaction of another suite in which this one began.
  private let outer: TransactionScope?

  /// With what message the program ends when a suite is used inside of its own transaction.
  static let misuse: StaticString = """
    a suite was written, observed or flushed inside of its own transaction; \
    use the draft there, and the suite afterwards
    """

  init(of suite: ObjectIdentifier, _ label: String) {
    self.suite = suite
    self.label = label
    outer = Self.current
  }

  /// The innermost transaction of this thread. Tasks that were started in the body of a transaction
  /// inherit its scope, but aren't on its thread.
  static var current: TransactionScope? {
    guard let scope = TaskContext.current.transaction,
      pthread_equal(scope.thread, pthread_self()) != 0
    else { return nil }
    return scope
  }

  /// Whether this thread is in a transaction of any suite.
  static var isRunning: Bool { current != nil }

  /// This scope, and those around it.
  private var chain: UnfoldFirstSequence<TransactionScope> {
    sequence(first: self, next: \.outer)
  }

  /// Ends the program if this thread is in a transaction of the suite.
  static func requireNone(of suite: some AnyObject) {
    guard let current, current.chain.contains(where: { $0.suite == ObjectIdentifier(suite) })
    else { return }
    fatalError("\(misuse)")
  }

  /// Runs what happens under the writer lock of the suite.
  func run<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try TaskContext.changing({ $0.transaction = self }, body)
  }

  /// Calls what was put off, after the writer lock was released; inside of another transaction it
  /// is put off until that one has ended.
  func end() {
    for body in postponed.exchange([]) { Self.callOutside(body) }
  }

  /// Calls somebody's code, which may do anything: at once, or when the transaction that runs on
  /// this thread has ended.
  static func callOutside(_ body: @escaping @Sendable () -> Void) {
    guard let current else { return body() }
    current.postponed.withLock { $0.append(body) }
  }
}

// MARK: - Deadlocks

/// Two threads that nest the transactions of two suites in opposite order would wait for each other
/// forever, so the second of them gets an error instead. Only a thread that is in a transaction can
/// be part of that; a set outside of one has nothing to note.
extension TransactionScope {
  private struct Wait {
    /// The suites whose writer locks the waiting thread holds.
    let held: [(suite: ObjectIdentifier, label: String)]
    let wanted: ObjectIdentifier
  }

  /// The threads that wait for a suite inside of a transaction of another one, by that transaction.
  private static let waits = Lock([ObjectIdentifier: Wait]())

  /// Notes that this thread is going to wait for a suite, if it is in a transaction of another one;
  /// returns that, for its `endWait`. Throws `deadlock` if the thread that holds the suite waits,
  /// itself or by way of others, for one that this thread holds.
  static func beginWait(
    for suite: some AnyObject, _ label: String
  ) throws(Defaults.SuiteError) -> TransactionScope? {
    guard let current else { return nil }
    try current.beginWait(for: ObjectIdentifier(suite), label)
    return current
  }

  private func beginWait(
    for wanted: ObjectIdentifier, _ label: String
  ) throws(Defaults.SuiteError) {
    // A second transaction of the same suite isn't a wait, but a mistake that its lock finds.
    if wanted == suite { return }
    let held = chain.map { (suite: $0.suite, label: $0.label) }
    let obstacle = Self.waits.withLock { waits -> String? in
      var next = wanted
      for _ in 0...waits.count {
        // Each suite is held by one thread at most.
        guard let holder = waits.values.first(where: { $0.held.contains { $0.suite == next } })
        else { break }
        if let own = held.first(where: { $0.suite == holder.wanted }) { return own.label }
        next = holder.wanted
      }
      waits[ObjectIdentifier(self)] = Wait(held: held, wanted: wanted)
      return nil
    }
    guard let obstacle else { return }
    throw Defaults.SuiteError(
      .deadlock,
      "A transaction of \(obstacle) uses \(label), while another thread does it the other way "
        + "round, so each would wait for the other. Nest the transactions of these two suites in "
        + "one order everywhere; nothing was changed by this one",
      suite: label)
  }

  /// Notes that the thread has got the suite, or doesn't wait for it anymore. May be called more
  /// than once.
  func endWait() {
    _ = Self.waits.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
  }
}

extension Defaults.SuiteError.Code {
  /// Two threads nest the transactions of two suites in opposite order; the one that this is thrown
  /// to was not made.
  public static let deadlock = Self(rawValue: "deadlock")
}
