import Synchronization

extension Defaults {
  /// The shared parts of every suite: observers with ordered delivery, registered defaults, and
  /// issues that are reported once.
  ///
  /// A custom suite has a `SuiteSupport`, and fulfills the requirements on observation by three
  /// rules:
  ///
  /// 1. Call ``enqueue(_:)`` for each change, and ``observe(_:options:allNames:entry:_:)`` for a
  ///   new observer, under the lock under which entries are committed.
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
      /// The cells of generated settings, if the suite has no table with cells.
      var cells: [String: Cell] = [:]
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
    /// The migrations for imports, if the program provides some. Their type is in a higher layer.
    let migrations = Lock((any Sendable)?.none)
    let defaultsOfKeys = KeyDefaults()
    /// Whether this is or was the program's suite, also in a scope, so that the defaults of keys
    /// with the suite `.standard` apply.
    private let isStandard = Atomic(false)
    /// The sync of the suite, if it has one.
    package let sync = Lock((any SuiteSync)?.none)
    let reporter: IssueReporter
    /// The supports of the suites that this suite's entries come from.
    private let sources: [SuiteSupport]

    /// Creates the support of one suite. `onIssue` replaces ``Defaults/issueHandler`` for its
    /// issues.
    public convenience init(label: String, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      self.init(label: label, redactingLike: [], onIssue: onIssue)
    }

    /// Creates the support of a suite whose entries come from other suites. It redacts the secrets
    /// of those suites, too.
    package init(
      label: String, redactingLike sources: [SuiteSupport],
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) {
      self.label = label
      self.sources = sources
      reporter = IssueReporter(handler: onIssue)
    }
  }
}

// MARK: - Registered defaults and issues

extension Defaults.SuiteSupport {
  /// Adds defaults. They are never stored, and override the defaults of keys.
  ///
  /// For your own implementation of ``Suite``. Otherwise call ``Suite/register(defaults:)``, which
  /// also invalidates the values that keys have decoded.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    registered.withLock { $0.merge(defaults) { _, new in new } }
  }

  /// Applies the defaults of keys with the suite `.standard` to this suite, too.
  func knowsKeysOfProgram() { isStandard.store(true, ordering: .relaxed) }

  /// Returns the default from `register(defaults:)`, which typed reads also use.
  public func registeredDefault(named name: String) -> Defaults.PropertyListValue? {
    registered.withLock { $0[name] }
  }

  /// The declarations of keys that apply to the suite, its own before those of `.standard`.
  private var declarations: [KeyDefaults] {
    isStandard.load(ordering: .relaxed) ? [defaultsOfKeys, .ofProgram] : [defaultsOfKeys]
  }

  func allRegisteredDefaults() -> [String: PropertyListValue] {
    declarations.reduce(into: registered.withLock { $0 }) { all, keys in
      all.merge(keys.all) { first, _ in first }
    }
  }

  /// Returns whether a key that was declared or used with the suite, or with a suite that its
  /// entries come from, is secret.
  package func isSecret(_ name: String) -> Bool {
    declarations.contains { $0.secretNames.contains(name) }
      || sources.contains { $0.isSecret(name) }
  }

  /// The names for which ``isSecret(_:)`` is true.
  var secretNames: Set<String> {
    declarations.reduce(into: Set(sources.flatMap(\.secretNames))) {
      $0.formUnion($1.secretNames.all)
    }
  }

  func about(_ name: String) -> String? { declarations.lazy.compactMap { $0.about(name) }.first }

  /// The keys of the suite with a label of another product, without their suites.
  package var markedKeys: [any DeclaredKey] { declarations.reversed().flatMap(\.marked) }

  /// Returns whether a key of the suite with a label of another product has a name, or had it.
  package func isMarked(_ name: String) -> Bool { declarations.contains { $0.isMarked(name) } }

  /// Calls a handler after each later key of the suite with a label of another product, until the
  /// handler returns false. The handler must not wait, since a declaration calls it.
  package func whenMarked(_ handler: @escaping @Sendable () -> Bool) {
    for keys in declarations { keys.whenMarked(handler) }
  }

  /// Redacts the values of names that a secret source gives, as if their keys were secret.
  package func addSecrets(_ names: some Collection<String>) {
    for secrets in [SecretNames.ofAll, defaultsOfKeys.secretNames] { secrets.add(Array(names)) }
  }

  /// Throws the reason why the keys of a name don't allow an entry.
  func checkRules(_ entry: PropertyListValue, named name: String) throws(SuiteError) {
    for keys in declarations { try keys.rules(for: name)?.check(entry) }
  }

  /// Returns the default of a name for an untyped read: the registered default or else a key's
  /// default.
  func anyDefault(named name: String) -> PropertyListValue? {
    registeredDefault(named: name) ?? declarations.lazy.compactMap { $0[name] }.first
  }

  /// Passes a problem that no call can throw to the handler, unless it was already reported.
  public func report(_ error: Defaults.SuiteError) { reporter.report(issue(about: error)) }

  /// Makes the next ``deliver()`` report problems that were found under a lock, except those that
  /// are also in `old`, which were passed before. The others in `old` have ended, and may be
  /// reported again when they recur.
  package func reportLater(_ problems: [SuiteError], insteadOf old: [SuiteError] = []) {
    var new = problems
    if !old.isEmpty {
      let (known, present) = (Set(old.map(text)), Set(problems.map(text)))
      for error in old where !present.contains(text(of: error)) { forget(error) }
      new.removeAll { known.contains(text(of: $0)) }
    }
    guard !new.isEmpty else { return }
    state.withLock { $0.problems += new }
    hasNews.store(true, ordering: .releasing)
  }

  private func text(of error: SuiteError) -> String { issue(about: error).description }

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
      // Without observers, nothing delivers, and many changes may come.
      if !state.derived.contains(where: { $0 === derived }) { state.derived.append(derived) }
      state.scopes.append(scope)
    }
    hasNews.store(true, ordering: .releasing)
    if derived.hasExternalNews.load(ordering: .relaxed) {
      hasExternalNews.store(true, ordering: .releasing)
    }
  }

  /// Returns the cell of a name in a suite without a table. Each queued change of the name advances
  /// it.
  func cell(named name: String) -> Cell {
    state.withLock { state in
      if let cell = state.cells[name] { return cell }
      let cell = Cell()
      state.cells[name] = cell
      return cell
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
  func now() throws(SuiteError)
  /// Returns the device and the time that a setting's value came from; nil if it isn't synced.
  func origin(of name: String) -> String?
}
