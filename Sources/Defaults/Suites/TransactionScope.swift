import Foundation

/// A transaction that is running on a thread, for what must not happen before it has ended.
final class TransactionScope: Sendable {
  private let thread = pthread_self()
  private let postponed = Lock([@Sendable () -> Void]())
  /// The suite whose lock it has.
  let suite: ObjectIdentifier
  /// What that suite is called.
  let label: String
  /// The transaction of another suite in which this one began.
  let outer: TransactionScope?

  init(of suite: some Defaults.Suite) {
    self.suite = suite.stored.map(ObjectIdentifier.init) ?? ObjectIdentifier(suite)
    label = suite.label
    outer = Self.current
  }

  /// The one on this thread. Tasks that were started in a body inherit it, and aren't on its
  /// thread.
  static var current: TransactionScope? {
    guard let scope = TaskContext.current.transaction,
      pthread_equal(scope.thread, pthread_self()) != 0
    else { return nil }
    return scope
  }

  /// Whether this thread is in a transaction, of whichever suite.
  static var isRunning: Bool { current != nil }

  /// Runs what happens under the lock of a transaction.
  func run<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try TaskContext.changing({ $0.transaction = self }, body)
  }

  /// Does what was put off, unless this thread is in another transaction, which then does it. The
  /// lock is given back.
  func end() {
    let bodies = postponed.withLock { postponed in
      defer { postponed = [] }
      return postponed
    }
    for body in bodies { Self.callOutside(body) }
  }

  /// Calls somebody's code, which may do anything: at once, or when the transaction that runs on
  /// this thread has ended.
  static func callOutside(_ body: @escaping @Sendable () -> Void) {
    guard let current else { return body() }
    current.postponed.withLock { $0.append(body) }
  }
}

/// The threads that wait for a suite inside of a transaction of another one.
///
/// Two threads that nest the transactions of two suites in opposite order would wait for each other
/// forever. Whoever comes second finds that out here. Only threads that are in a transaction can be
/// part of that, so all others pay nothing.
enum NestedWaits {
  private struct Wait {
    let held: [(suite: ObjectIdentifier, label: String)]
    let wanted: ObjectIdentifier
  }

  private static let waits = Lock([ObjectIdentifier: Wait]())

  /// What a thread holds on to while it waits.
  struct Mark {
    /// nil where nothing was noted.
    fileprivate let scope: TransactionScope?

    /// The thread has got the suite, or doesn't wait anymore. May be called more than once.
    func end() {
      guard let scope else { return }
      _ = waits.withLock { $0.removeValue(forKey: ObjectIdentifier(scope)) }
    }
  }

  /// Notes that this thread is going to wait for a suite, if it is in a transaction of another one,
  /// and returns what notes the end of that. Throws `deadlock` if a thread that has the suite waits,
  /// itself or by way of others, for one that this thread has.
  static func begin(
    waitingFor suite: ObjectIdentifier, _ label: String
  ) throws(Defaults.SuiteError) -> Mark {
    guard let scope = TransactionScope.current, scope.suite != suite else {
      return Mark(scope: nil)
    }
    var held: [(suite: ObjectIdentifier, label: String)] = []
    var next: TransactionScope? = scope
    while let scope = next {
      held.append((scope.suite, scope.label))
      next = scope.outer
    }
    let obstacle = waits.withLock { waits -> String? in
      var wanted = suite
      for _ in 0...waits.count {
        // Each suite is held by one thread at most.
        guard let holder = waits.values.first(where: { $0.held.contains { $0.suite == wanted } })
        else { break }
        if let own = held.first(where: { $0.suite == holder.wanted }) { return own.label }
        wanted = holder.wanted
      }
      waits[ObjectIdentifier(scope)] = Wait(held: held, wanted: suite)
      return nil
    }
    guard let obstacle else { return Mark(scope: scope) }
    throw Defaults.SuiteError(
      .deadlock,
      "A transaction of \(obstacle) uses \(label), while another thread does it the other way "
        + "round, so each would wait for the other. Nest the transactions of these two suites in "
        + "one order everywhere; nothing was changed by this one",
      suite: label)
  }
}

extension Defaults.SuiteError.Code {
  /// Two threads nest the transactions of two suites in opposite order; the one that this is thrown
  /// to was not made.
  public static let deadlock = Self(rawValue: "deadlock")
}
