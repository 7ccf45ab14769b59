import Synchronization

extension Defaults {
  /// The suite that `.standard` means in this program: at first, its file.
  ///
  /// Set it once, at launch, before any key of `.standard` is declared or used; it traps afterwards.
  /// From then on keys that were declared without a suite, `Defaults[…]`, and everything else that
  /// means the program's suite are about this one. The program's file, `.standard` until then, may be
  /// a part of it: the writable one of its layers.
  ///
  /// ```swift
  /// Defaults.standardSuite = try Defaults.LayeredSuite(
  ///   .managed(), .arguments, .writable(.standard), .site())
  /// ```
  public static var standardSuite: any StoredSuiteView {
    get { PropertyListSuite.standard }
    set { StandardSuite.choose(newValue) }
  }

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
  /// through a key of the program's suite takes about 100 ns, outside of scopes too, and in one it
  /// isn't cached.
  ///
  /// ```swift
  /// Defaults.withSuite(Defaults.MemorySuite()) {
  ///   Defaults[.quality] = 0.1  // not seen outside
  /// }
  /// ```
  public static func withSuite<Value, Failure: Error>(
    _ suite: some StoredSuiteView, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = SuiteScope(suite)
    defer { scope.end() }
    return try TaskContext.changing({ $0.scope = scope }, body)
  }

  /// Runs an asynchronous closure for which `.standard` is another suite; see the synchronous form.
  public static func withSuite<Value, Failure: Error>(
    _ suite: some StoredSuiteView, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = SuiteScope(suite)
    defer { scope.end() }
    return try await TaskContext.changing({ $0.scope = scope }, isolation: isolation, body)
  }
}

/// One call of `withSuite`: what replaces the program's suite there.
final class SuiteScope: Sendable {
  /// What the first scope does, and all others wait for: makes reads look for scopes.
  private static let beginning: Void = ProgramStorage.distrustCells()

  /// What `.standard` is in the scope.
  let standard: Defaults.PropertyListSuite

  /// The scope of this task; nil, at the cost of a load, in a process that never opened one.
  static var current: SuiteScope? {
    // A thread that is in one sees true: it, or the task that it inherited the scope from, wrote
    // it.
    ProgramStorage.mayBeReplaced.load(ordering: .relaxed)
      ? TaskContext.current.scope as? SuiteScope : nil
  }

  fileprivate init(_ suite: some Defaults.StoredSuiteView) {
    standard = Defaults.PropertyListSuite(standingInBy: suite)
    standard.support.knowsKeysOfProgram()
    Self.beginning
  }

  /// Lets go of what observers captured whose owners died in the scope: they would hold the suite.
  fileprivate func end() { standard.support.removeDeadObservers() }
}

/// The suite that a program has chosen as its own.
enum StandardSuite {
  private static let choice = AtomicLazyReference<Defaults.PropertyListSuite>()

  /// What `.standard` is; nil where the program hasn't chosen.
  static var chosen: Defaults.PropertyListSuite? { choice.load() }

  static func choose(_ suite: some Defaults.StoredSuiteView) {
    if let name = KeyDefaults.ofProgram.anyName {
      fatalError(
        """
        Defaults.standardSuite was set after \"\(escaped(name))\" was declared, which belongs to another \
        suite now; set it at launch, before any key of .standard is used
        """)
    }
    let view = Defaults.PropertyListSuite(standingInBy: suite)
    guard choice.storeIfNil(view) === view else {
      fatalError("Defaults.standardSuite was set a second time; set it once, at launch")
    }
    ProgramStorage.replace(by: view.storage)
  }
}
