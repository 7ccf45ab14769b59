import Synchronization

extension Defaults {
  /// The suite of the program, of whatever kind it is: at first the ``PropertyListSuite`` of its
  /// file, in ``withSuite(_:_:)`` the suite of the scope.
  ///
  /// ```swift
  /// try Defaults.standard.transaction { draft in draft[.volume] = 5 }
  /// ```
  ///
  /// A program that wants another suite sets it once, at launch, before any key of `.standard` is
  /// declared or used; setting it later traps. From then on keys that were declared without a suite,
  /// `Defaults[…]`, and everything else that means the program's suite use this one. The program's
  /// file, `.standard` until then, may be a part of it: the writable one of its layers.
  ///
  /// ```swift
  /// Defaults.standard = try Defaults.LayeredSuite(
  ///   .managed(), .arguments, .writable(.standard), .site())
  /// ```
  public static var standard: any Suite {
    get { SuiteScope.current?.suite ?? StandardSuite.chosen?.suite ?? PropertyListSuite.ofProgram }
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
  /// In a process that never opens a scope, reads cost nothing more. Afterwards each read through a
  /// key of the program's suite takes about 400 ns outside of scopes. In a scope it isn't cached and
  /// takes about 800 ns.
  ///
  /// ```swift
  /// Defaults.withSuite(Defaults.MemorySuite()) {
  ///   Defaults[.quality] = 0.1  // not seen outside
  /// }
  /// ```
  public static func withSuite<Value, Failure: Error>(
    _ suite: some Suite, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = SuiteScope(suite)
    defer { scope.end() }
    return try TaskContext.changing({ $0.scope = scope }, body)
  }

  /// Runs an asynchronous closure for which `.standard` is another suite; see the synchronous form.
  public static func withSuite<Value, Failure: Error>(
    _ suite: some Suite, isolation: isolated (any Actor)? = #isolation,
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

  /// The suite that was given for the scope.
  let suite: any Defaults.Suite
  /// What `.standard` is in the scope: a view of the suite.
  let standard: Defaults.PropertyListSuite

  /// The scope of this task; nil, at the cost of a load, in a process that never opened one.
  static var current: SuiteScope? {
    // A thread that is in one sees true: it, or the task that it inherited the scope from, wrote
    // it.
    ProgramStorage.mayBeReplaced.load(ordering: .relaxed)
      ? TaskContext.current.scope as? SuiteScope : nil
  }

  fileprivate init(_ suite: some Defaults.Suite) {
    self.suite = suite
    standard = Defaults.PropertyListSuite(standingInBy: suite)
    standard.support.knowsKeysOfProgram()
    Self.beginning
  }

  /// Lets go of what observers captured whose owners died in the scope: they would hold the suite.
  fileprivate func end() { standard.support.removeDeadObservers() }
}

/// The suite that a program has chosen as its own.
enum StandardSuite {
  /// A suite, and the view of it that `.standard` is.
  final class Choice: Sendable {
    let suite: any Defaults.Suite
    let view: Defaults.PropertyListSuite

    fileprivate init(_ suite: some Defaults.Suite) {
      self.suite = suite
      view = Defaults.PropertyListSuite(standingInBy: suite)
    }
  }

  private static let choice = AtomicLazyReference<Choice>()

  /// What the program has chosen; nil where it hasn't.
  static var chosen: Choice? { choice.load() }

  static func choose(_ suite: some Defaults.Suite) {
    if let name = KeyDefaults.ofProgram.anyName {
      fatalError(
        """
        Defaults.standard was set after \"\(escaped(name))\" was declared, which belongs to another \
        suite now; set it at launch, before any key of .standard is used
        """)
    }
    let new = Choice(suite)
    guard choice.storeIfNil(new) === new else {
      fatalError("Defaults.standard was set a second time; set it once, at launch")
    }
    ProgramStorage.replace(by: new.view.storage)
  }
}
