import Synchronization

extension Defaults {
  /// What every suite needs and none should write again: observers with ordered delivery,
  /// registered defaults, and issues that are reported once.
  ///
  /// A suite that does everything itself holds one, and keeps three rules; the requirements about
  /// observation then hold for it:
  ///
  /// 1. call ``enqueue(_:)`` for a change, and ``observe(_:options:allNames:entry:_:)`` for a new
  ///    observer, while holding the lock under which entries are committed;
  /// 2. call ``deliver()`` after releasing it, whenever one of them was called;
  /// 3. hold no lock that a handler could need while calling ``deliver()``.
  public final class SuiteSupport: Sendable {
    /// What the suite is called in errors and issues.
    public let label: String

    struct State {
      var observers = ObserverRegistry()
      /// Problems that were found under a lock, for the next ``deliver()`` to report.
      var problems: [SuiteError] = []
      /// Objects that the next ``deliver()`` releases, since it holds no lock.
      var releasedLater: [any Sendable] = []
      /// Suites whose entries are derived from those of this one, and have changed with them; the
      /// next ``deliver()`` also delivers for them.
      var derived: [SuiteSupport] = []
      /// What ran under the lock of the suite, and may have put something off until it is free.
      var scopes: [TransactionScope] = []
    }

    /// Taken after the lock under which the suite commits.
    let state = Lock(State())
    /// The changes that observers still have to get; put in under the lock of the state.
    let mailbox = Mailbox<Delivery>()
    /// Whether there ever was an observer: a setter needn't look for any before.
    let isUsed = Atomic(false)
    /// Whether `deliver` may have something to do.
    let hasNews = Atomic(false)
    /// Whether something of another process is among that.
    let hasExternalNews = Atomic(false)
    /// From `register(defaults:)`: these win over the defaults of keys.
    private let registered = Lock([String: PropertyListValue]())
    /// The migrations that imports know; nil before the program has named any.
    let migrations = Lock((any KnownMigrations)?.none)
    /// What keys of the suite brought along.
    let defaultsOfKeys = KeyDefaults()
    /// Whether this is the program's suite, or was one in a scope, so that the defaults of keys
    /// that were declared with `.standard` count here.
    private let isStandard = Atomic(false)
    /// Reports each issue once.
    let reporter: IssueReporter

    /// The support of one suite; `onIssue` takes its issues in place of ``Defaults/issueHandler``.
    public init(label: String, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      self.label = label
      reporter = IssueReporter(handler: onIssue)
    }
  }
}

// MARK: - Registered defaults and issues

extension Defaults.SuiteSupport {
  /// Adds defaults; they are never stored, and win over those that keys bring along.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    registered.withLock { $0.merge(defaults) { _, new in new } }
  }

  /// Makes the defaults of keys that were declared with `.standard` count for this suite, too.
  func knowsKeysOfProgram() { isStandard.store(true, ordering: .relaxed) }

  /// The default from `register(defaults:)`, which a typed read also takes.
  public func registeredDefault(named name: String) -> Defaults.PropertyListValue? {
    registered.withLock { $0[name] }
  }

  /// All defaults, those of keys included.
  func allRegisteredDefaults() -> [String: PropertyListValue] {
    var all = isStandard.load(ordering: .relaxed) ? KeyDefaults.ofProgram.all : [:]
    all.merge(defaultsOfKeys.all) { _, own in own }
    all.merge(registered.withLock { $0 }) { _, explicit in explicit }
    return all
  }

  /// Whether a key of the suite, or one that was used with it, is secret.
  package func isSecret(_ name: String) -> Bool {
    defaultsOfKeys.secretNames.contains(name)
      || isStandard.load(ordering: .relaxed) && KeyDefaults.ofProgram.secretNames.contains(name)
  }

  /// Throws why an entry isn't one that the keys of its name allow.
  func checkRules(
    _ entry: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try defaultsOfKeys.rules(for: name)?.check(entry)
    guard isStandard.load(ordering: .relaxed) else { return }
    try KeyDefaults.ofProgram.rules(for: name)?.check(entry)
  }

  /// The default of a name for an untyped look-up: registered, else that of a key.
  func anyDefault(named name: String) -> PropertyListValue? {
    if let value = registeredDefault(named: name) ?? defaultsOfKeys[name] { return value }
    guard isStandard.load(ordering: .relaxed) else { return nil }
    return KeyDefaults.ofProgram[name]
  }

  /// Hands a problem that no call can throw to the handler, unless the same one was before.
  public func report(_ error: Defaults.SuiteError) { reporter.report(issue(about: error)) }

  /// Has the next ``deliver()`` report a problem that was found under a lock.
  package func reportLater(_ problems: [SuiteError]) {
    guard !problems.isEmpty else { return }
    state.withLock { $0.problems += problems }
    hasNews.store(true, ordering: .releasing)
  }

  /// Reports problems later, and lets those be reported again, when they come back, that were there
  /// and aren't among them.
  package func reportLater(_ problems: [SuiteError], insteadOf old: [SuiteError]) {
    let present = Set(problems.map { issue(about: $0).description })
    for issue in old.map(issue(about:)) where !present.contains(issue.description) {
      reporter.forget(issue)
    }
    reportLater(problems)
  }

  /// Lets a problem be reported again that is over.
  func forget(_ error: SuiteError) { reporter.forget(issue(about: error)) }

  /// Keeps an object until the next ``deliver()``: its `deinit` may take locks that are held now.
  func releaseLater(_ object: any Sendable) {
    state.withLock { $0.releasedLater.append(object) }
    hasNews.store(true, ordering: .releasing)
  }

  /// Has the next ``deliver()`` also deliver for a suite whose entries are derived from those of
  /// this one, release an object that is in use meanwhile, and end a scope.
  func deliverLater(
    _ derived: Defaults.SuiteSupport, releasing object: any Sendable,
    ending scope: TransactionScope
  ) {
    state.withLock { state in
      state.releasedLater.append(object)
      state.derived.append(derived)
      state.scopes.append(scope)
    }
    hasNews.store(true, ordering: .releasing)
    if derived.hasExternalNews.load(ordering: .relaxed) {
      hasExternalNews.store(true, ordering: .releasing)
    }
  }

  /// Keeps a problem from being reported, since a caller got it as an error.
  func countAsReported(_ error: SuiteError) { _ = reporter.isNew(issue(about: error)) }

  private func issue(about error: SuiteError) -> Defaults.Issue {
    var error = error
    error.suite = error.suite ?? label
    return Defaults.Issue(error)
  }
}

/// Migrations that a suite knows; their type needs the suite's draft, and so is declared elsewhere.
protocol KnownMigrations: Sendable {
  /// The version to which they lead.
  var version: Int { get }
}
