import Synchronization

extension Defaults {
  /// The program's suite, of any kind: by default the ``PropertyListSuite`` of its file, and in
  /// ``withSuite(_:_:)`` the suite of the scope.
  ///
  /// ```swift
  /// try Defaults.standard.transaction { draft in draft[.volume] = 5 }
  /// ```
  ///
  /// A program that uses another suite sets it once, at launch, before any key of `.standard` is
  /// declared or used. Setting it later traps, and so does a suite that stores its entries itself:
  /// a ``UserDefaultsSuite``, or your own ``Suite`` without ``Suite/stored``. After that, all keys
  /// without an explicit suite, `Defaults[…]`, and all other uses of the program's suite refer to
  /// it. The program's file, which was `.standard` before, can be part of the new suite, such as
  /// the writable layer:
  ///
  /// ```swift
  /// Defaults.standard = try Defaults.LayeredSuite(
  ///   .managed(), .arguments, .writable(.standard), .site())
  /// ```
  public static var standard: any Suite {
    get { (SuiteScope.current ?? SuiteScope.chosen)?.suite ?? PropertyListSuite.ofProgram }
    set { SuiteScope.choose(newValue) }
  }

  /// Runs a closure in which `.standard` is another suite, for tests and previews.
  ///
  /// In the scope, all uses of the program's suite refer to the given suite: the default argument
  /// `suite: .standard`, and all keys that were declared with `.standard`, even before the scope.
  /// Suites that are named explicitly, and keys that were declared with such a suite, are
  /// unaffected. The program's own file isn't opened.
  ///
  /// The scope belongs to the task: child tasks and `Task { }` inherit it, and keep it if they
  /// outlive the closure. `Task.detached`, threads and queues use the program's suite. Handlers run
  /// in the scope in which their observation began, on any thread. Scopes can be nested.
  ///
  /// A process that never opens a scope has no extra cost. After the first scope, each read with a
  /// key of the program's suite takes 100 to 400 ns outside of scopes. Inside, reads aren't cached
  /// and take 500 to 800 ns.
  ///
  /// ```swift
  /// Defaults.withSuite(Defaults.MemorySuite()) {
  ///   Defaults[.quality] = 0.1  // not seen outside
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - suite: The suite that replaces the program's suite. A suite that stores its entries itself
  ///     traps: a ``UserDefaultsSuite``, or your own ``Suite`` without ``Suite/stored``.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  public static func withSuite<Value, Failure: Error>(
    _ suite: some Suite, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = SuiteScope.begin(suite)
    defer { scope.end() }
    return try TaskContext.changing({ $0.scope = scope }, body)
  }

  /// Runs an asynchronous closure in which `.standard` is another suite; see the synchronous form.
  public static func withSuite<Value, Failure: Error>(
    _ suite: some Suite, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = SuiteScope.begin(suite)
    defer { scope.end() }
    return try await TaskContext.changing({ $0.scope = scope }, isolation: isolation, body)
  }
}

/// A suite that takes the place of the program's suite, in a call of `withSuite` or in the whole
/// program.
final class SuiteScope: Sendable {
  /// Makes reads look for scopes. The first scope does this, and all others wait for it.
  private static let beginning: Void = ProgramStorage.distrustCells()
  private static let choice = AtomicLazyReference<SuiteScope>()

  let suite: any Defaults.Suite
  /// The suite's view as `.standard`.
  let standard: Defaults.PropertyListSuite

  /// The scope of this task; nil, after one atomic load, in a process that never opened a scope.
  static var current: SuiteScope? {
    // A thread in a scope reads true, since the value was written by this thread or by the task
    // from which the scope was inherited.
    ProgramStorage.mayBeReplaced.load(ordering: .relaxed)
      ? TaskContext.current.scope as? SuiteScope : nil
  }

  /// The suite that the program has chosen as its own; nil if it has made no choice.
  static var chosen: SuiteScope? { choice.load() }

  private init(_ suite: some Defaults.Suite) {
    self.suite = suite
    standard = Defaults.PropertyListSuite(standingInBy: suite)
  }

  fileprivate static func begin(_ suite: some Defaults.Suite) -> SuiteScope {
    let scope = SuiteScope(suite)
    scope.standard.support.knowsKeysOfProgram()
    beginning
    return scope
  }

  /// Releases what the observers of dead owners captured, since that could retain the suite.
  fileprivate func end() { standard.support.removeDeadObservers() }

  fileprivate static func choose(_ suite: some Defaults.Suite) {
    if let name = KeyDefaults.ofProgram.anyName {
      fatalError(
        """
        Defaults.standard was set after \"\(escaped(name))\" was declared, so the key already \
        belongs to another suite. Set it at launch, before any key of .standard is declared. For a \
        suite of layers, omit `declaring:`, and call `validate` after setting it.
        """)
    }
    let new = SuiteScope(suite)
    guard choice.storeIfNil(new) === new else {
      fatalError("Defaults.standard was set twice. Set it once, at launch.")
    }
    ProgramStorage.replace(by: new.standard.storage)
  }
}
