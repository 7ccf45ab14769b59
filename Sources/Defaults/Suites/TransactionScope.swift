import Foundation

/// A transaction that is running on a thread, for what must not happen before it has ended.
final class TransactionScope: Sendable {
  @TaskLocal private static var innermost: TransactionScope?

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
    guard let innermost, pthread_equal(innermost.thread, pthread_self()) != 0 else { return nil }
    return innermost
  }

  /// Whether this thread is in a transaction, of whichever suite.
  static var isRunning: Bool { current != nil }

  /// Runs what happens under the lock of a transaction.
  func run<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Self.$innermost.during(self, body)
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
