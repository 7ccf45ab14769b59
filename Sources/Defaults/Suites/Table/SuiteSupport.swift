import Synchronization

extension Defaults {
  /// The shared parts of every suite: observers with ordered delivery, registered defaults, and
  /// issues that are reported once.
  ///
  /// A custom suite has a `SuiteSupport`, and fulfills the requirements on observation by three
  /// rules:
  ///
  /// 1. Call ``enqueue(_:)`` for a change, and ``observe(_:options:allNames:entry:_:)`` for a new
  ///   observer, under the lock under which entries are committed.
  /// 2. After each of these calls, call ``deliver()`` when the lock is released.
  /// 3. Call ``deliver()`` without any lock that a handler might need.
  public final class SuiteSupport: Sendable {
    /// The suite's name in errors and issues.
    public let label: String

    struct State {
      var observers = ObserverRegistry()
      /// Problems that were found under a lock; the next ``deliver()`` reports them.
      var problems: [SuiteError] = []
      /// Objects for the next ``deliver()`` to release without a lock.
      var releasedLater: [any Sendable] = []
      /// Supports of suites whose derived entries changed with this one; the next ``deliver()``
      /// also delivers for them.
      var derived: [SuiteSupport] = []
      /// Scopes that ran under the suite's lock, and may have postponed calls until its release.
      var scopes: [TransactionScope] = []
    }

    /// Taken after the lock under which the suite commits.
    let state = Lock(State())
    /// The undelivered changes. Elements are added under the lock of the state.
    let mailbox = Mailbox<Delivery>()
    /// Whether there ever was an observer. If not, setters skip the search for observers.
    let isUsed = Atomic(false)
    /// Whether `deliver` may have something to do.
    let hasNews = Atomic(false)
    /// Whether a change of another process is queued.
    let hasExternalNews = Atomic(false)
    /// The defaults from `register(defaults:)`, which override the defaults of keys.
    private let registered = Lock([String: PropertyListValue]())
    /// The migrations for imports; nil until the program provides some.
    let migrations = Lock((any KnownMigrations)?.none)
    /// The declarations of the suite's keys.
    let defaultsOfKeys = KeyDefaults()
    /// Whether this is or was the program's suite, also in a scope, so that the defaults of keys
    /// with the suite `.standard` apply.
    private let isStandard = Atomic(false)
    /// The sync of the suite, if it has one.
    package let sync = Lock((any SuiteSync)?.none)
    /// Reports each issue once.
    let reporter: IssueReporter

    /// Creates the support of one suite. `onIssue` replaces ``Defaults/issueHandler`` for its
    /// issues.
    public init(label: String, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      self.label = label
      reporter = IssueReporter(handler: onIssue)
    }
  }
}

// MARK: - Registered defaults and issues

extension Defaults.SuiteSupport {
  /// Adds defaults. They are never stored, and override the defaults of keys.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    registered.withLock { $0.merge(defaults) { _, new in new } }
  }

  /// Applies the defaults of keys with the suite `.standard` to this suite, too.
  func knowsKeysOfProgram() { isStandard.store(true, ordering: .relaxed) }

  /// Returns the default from `register(defaults:)`, which typed reads also use.
  public func registeredDefault(named name: String) -> Defaults.PropertyListValue? {
    registered.withLock { $0[name] }
  }

  /// Returns all defaults, including the defaults of keys.
  func allRegisteredDefaults() -> [String: PropertyListValue] {
    var all = isStandard.load(ordering: .relaxed) ? KeyDefaults.ofProgram.all : [:]
    all.merge(defaultsOfKeys.all) { _, own in own }
    all.merge(registered.withLock { $0 }) { _, explicit in explicit }
    return all
  }

  /// Returns whether a key that was declared or used with the suite is secret.
  package func isSecret(_ name: String) -> Bool {
    defaultsOfKeys.secretNames.contains(name)
      || isStandard.load(ordering: .relaxed) && KeyDefaults.ofProgram.secretNames.contains(name)
  }

  /// The names for which ``isSecret(_:)`` is true.
  var secretNames: Set<String> {
    let own = defaultsOfKeys.secretNames.all
    guard isStandard.load(ordering: .relaxed) else { return own }
    return own.union(KeyDefaults.ofProgram.secretNames.all)
  }

  /// Returns the description of a setting, from its key.
  func about(_ name: String) -> String? {
    if let text = defaultsOfKeys.about(name) { return text }
    return isStandard.load(ordering: .relaxed) ? KeyDefaults.ofProgram.about(name) : nil
  }

  /// The keys of the suite with a label of another product, without their suites.
  package var markedKeys: [any DeclaredKey] {
    let own = defaultsOfKeys.marked
    return isStandard.load(ordering: .relaxed) ? KeyDefaults.ofProgram.marked + own : own
  }

  /// Returns whether a key of the suite has a label of another product.
  package func isMarked(_ name: String) -> Bool {
    defaultsOfKeys.isMarked(name)
      || isStandard.load(ordering: .relaxed) && KeyDefaults.ofProgram.isMarked(name)
  }

  /// Calls a handler after each later key of the suite with a label of another product, until the
  /// handler returns false. The handler must not wait, since a declaration calls it.
  package func whenMarked(_ handler: @escaping @Sendable () -> Bool) {
    defaultsOfKeys.whenMarked(handler)
    if isStandard.load(ordering: .relaxed) { KeyDefaults.ofProgram.whenMarked(handler) }
  }

  /// Redacts the values of names that a secret source gives, as if their keys were secret.
  package func addSecrets(_ names: some Collection<String>) {
    for secrets in [SecretNames.ofAll, defaultsOfKeys.secretNames] { secrets.add(Array(names)) }
  }

  /// Throws the reason why the keys of a name don't allow an entry.
  func checkRules(
    _ entry: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try defaultsOfKeys.rules(for: name)?.check(entry)
    guard isStandard.load(ordering: .relaxed) else { return }
    try KeyDefaults.ofProgram.rules(for: name)?.check(entry)
  }

  /// Returns the default of a name for an untyped read: the registered default or else a key's
  /// default.
  func anyDefault(named name: String) -> PropertyListValue? {
    if let value = registeredDefault(named: name) ?? defaultsOfKeys[name] { return value }
    guard isStandard.load(ordering: .relaxed) else { return nil }
    return KeyDefaults.ofProgram[name]
  }

  /// Passes a problem that no call can throw to the handler, unless it was already reported.
  public func report(_ error: Defaults.SuiteError) { reporter.report(issue(about: error)) }

  /// Makes the next ``deliver()`` report problems that were found under a lock.
  package func reportLater(_ problems: [SuiteError]) {
    guard !problems.isEmpty else { return }
    state.withLock { $0.problems += problems }
    hasNews.store(true, ordering: .releasing)
  }

  /// Reports problems with the next ``deliver()``. Earlier problems that have ended may be reported
  /// again when they recur.
  package func reportLater(_ problems: [SuiteError], insteadOf old: [SuiteError]) {
    let present = Set(problems.map { issue(about: $0).description })
    for issue in old.map(issue(about:)) where !present.contains(issue.description) {
      reporter.forget(issue)
    }
    reportLater(problems)
  }

  /// Allows a problem that has ended to be reported again.
  func forget(_ error: SuiteError) { reporter.forget(issue(about: error)) }

  /// Retains an object until the next ``deliver()``, since its `deinit` may take locks that are
  /// held now.
  func releaseLater(_ object: any Sendable) {
    state.withLock { $0.releasedLater.append(object) }
    hasNews.store(true, ordering: .releasing)
  }

  /// Defers three actions to the next ``deliver()``: deliver for a suite whose entries are derived
  /// from this one, release an object that is still in use, and end a scope.
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

  /// Keeps a problem from being reported, since a caller received it as an error.
  func countAsReported(_ error: SuiteError) { _ = reporter.isNew(issue(about: error)) }

  private func issue(about error: SuiteError) -> Defaults.Issue {
    var error = error
    error.suite = error.suite ?? label
    return Defaults.Issue(error)
  }
}

/// The sync of a suite, as the settings command shows it. Another product implements it.
package protocol SuiteSync: AnyObject, Sendable {
  /// The state, as rows of a table.
  var statusRows: [[String]] { get }
  /// The devices, as rows of a table with a header.
  var deviceRows: [[String]] { get }
  /// The latest changes of all devices, oldest first, as rows of a table.
  var changeRows: [[String]] { get }
  /// Syncs at once.
  func now() throws(SuiteError)
  /// Returns the device and the time that a setting's value came from; nil if it isn't synced.
  func origin(of name: String) -> String?
}

/// Migrations for imports. Their type needs the suite's draft, so it is declared in a higher layer.
protocol KnownMigrations: Sendable {
  /// The program's version of the entries.
  var version: Int { get }
}
