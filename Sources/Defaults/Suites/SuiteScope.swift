import Synchronization

extension Defaults {
  /// Runs a closure for which `.standard` is another suite: for tests and previews.
  ///
  /// Inside, everything that means the program's suite means this one: the default argument
  /// `suite: .standard`, and keys that were declared with it, before or in there, through
  /// `Defaults[…]` and every other function. Keys and suites that were named explicitly stay what
  /// they are. The program's own file isn't opened for that, nor touched.
  ///
  /// The scope is of the task: child tasks and `Task { }` inherit it, and keep it if they outlive
  /// the closure; `Task.detached`, threads and queues don't, and use the program's suite. Handlers
  /// run in the scope in which they began to observe, on whichever thread. Scopes nest.
  ///
  /// A process that never opens a scope pays nothing for it when it reads. Once it did, each read
  /// through a key of the program's suite takes some 100 ns, outside of scopes too, and in one it
  /// isn't cached.
  ///
  /// ```swift
  /// Defaults.withSuite(Defaults.MemorySuite()) {
  ///   Defaults[.quality] = 0.1  // nobody else sees that
  /// }
  /// ```
  public static func withSuite<Value, Failure: Error>(
    _ suite: some StoredSuiteView, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = SuiteScope(suite)
    defer { scope.end() }
    return try SuiteScope.$innermost.during(scope, body)
  }

  /// Runs an asynchronous closure for which `.standard` is another suite; see the synchronous form.
  public static func withSuite<Value, Failure: Error>(
    _ suite: some StoredSuiteView, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = SuiteScope(suite)
    defer { scope.end() }
    return try await SuiteScope.$innermost.during(scope, isolation: isolation, body)
  }
}

/// One call of `withSuite`: what stands in for the program's suite there.
final class SuiteScope: Sendable {
  @TaskLocal fileprivate static var innermost: SuiteScope?
  private static let wereAny = Atomic(false)
  /// What the first scope does, and all others wait for: makes reads look for scopes.
  private static let beginning: Void = {
    wereAny.store(true, ordering: .sequentiallyConsistent)
    ProgramStorage.distrustCells()
  }()

  /// What `.standard` is in the scope.
  let standard: Defaults.PropertyListSuite

  /// The scope of this task; nil, at the cost of a load, in a process that never opened one.
  static var current: SuiteScope? {
    hasBeenUsed ? innermost : nil
  }

  /// Whether this process has ever opened a scope. A thread that is in one knows: it, or the task
  /// that it inherited the scope from, has written this.
  static var hasBeenUsed: Bool { wereAny.load(ordering: .relaxed) }

  fileprivate init(_ suite: some Defaults.StoredSuiteView) {
    standard = Defaults.PropertyListSuite(standingInBy: suite)
    standard.support.knowsKeysOfProgram()
    Self.beginning
  }

  /// Runs the body in a scope, or in none.
  static func run<Value>(in scope: SuiteScope?, _ body: () -> Value) -> Value {
    $innermost.withValue(scope, operation: body)
  }

  /// Lets go of what observers captured whose owners died in the scope: they would hold the suite.
  fileprivate func end() {
    standard.support.removeDeadObservers()
  }
}

/// What holds the entries of the program's own suite, if anything does by now.
enum ProgramStorage {
  private struct Weak {
    weak var storage: Defaults.StoredSuite?
  }

  private static let storages = Lock([Weak]())

  /// What keys of the program's suite are told equal by, whatever holds their entries at the time.
  static let identity = ObjectIdentifier(ProgramStorage.self)

  /// The file of the program's suite, found out once.
  static let file = try? Defaults.StoredFile()

  /// Marks a storage, before it has cells.
  static func register(_ storage: Defaults.StoredSuite) {
    storage.isOfProgram.store(true, ordering: .relaxed)
    storage.support.knowsKeysOfProgram()
    // Handed out: one that is let go of meanwhile mustn't die under the lock.
    let held = storages.withLock { storages in
      let held = storages.compactMap(\.storage)
      storages = (held + [storage]).map(Weak.init)
      return held
    }
    withExtendedLifetime(held) {}
  }

  /// Makes all reads of the program's keys look for a scope, from now on.
  fileprivate static func distrustCells() {
    for storage in storages.withLock({ $0.compactMap(\.storage) }) { storage.distrustCells() }
  }
}
