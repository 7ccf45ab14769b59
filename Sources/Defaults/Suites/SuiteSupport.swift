import Synchronization

extension Defaults {
  /// What every suite needs and none should write again: observers with ordered delivery,
  /// registered defaults, and issues that are reported once.
  ///
  /// A suite that does everything itself holds one, and keeps three rules; the laws about
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
      var observersByName: [String: ObserverList] = [:]
      var observersOfAll = ObserverList()
      /// How many there are, by each of their names.
      var registrations = 0
      var lastNumber: UInt64 = 0
      var sweepAt = 64
      /// What went wrong under a lock.
      var problems: [SuiteError] = []
      /// What may only be released where no lock is held.
      var remains: [any Sendable] = []
    }

    /// Taken after the lock under which the suite commits.
    let state = Lock(State())
    /// The changes that observers are still to be told; put in under the lock of the state.
    let mailbox = Mailbox<Delivery>()
    /// Whether there ever was an observer: a setter needn't look for any before.
    private let isUsed = Atomic(false)
    /// Whether `deliver` may have something to do.
    let hasNews = Atomic(false)
    /// From `register(defaults:)`: these win over the defaults of keys.
    private let registered = Lock([String: PropertyListValue]())
    /// What keys of the suite brought along.
    let defaultsOfKeys = KeyDefaults()
    /// Whether keys of the program's suite read here, in a scope at least.
    private let isStandard = Atomic(false)
    private let reporter: IssueReporter

    /// The support of one suite; `onIssue` takes its issues in place of ``Defaults/issueHandler``.
    public init(label: String, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      self.label = label
      reporter = IssueReporter(handler: onIssue)
    }
  }
}

// MARK: - Observers

extension Defaults.SuiteSupport {
  /// Registers an observer of some names, or of all if `names` is nil.
  ///
  /// `initial` are the present entries of these names, for an observer that wants an initial event;
  /// the caller holds the lock under which entries are committed, so that no change is missed or
  /// seen twice. Call ``deliver()`` after releasing it.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    initial: [String: Defaults.PropertyListValue?],
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    let observer = state.withLock { state in
      isUsed.store(true, ordering: .relaxed)
      state.lastNumber += 1
      let observer = Observer(
        number: state.lastNumber, names: names, options: options, handler: handler)
      if let names {
        state.add(observer, to: names)
      } else {
        state.observersOfAll.add(observer)
        state.registrations += 1
      }
      if options.contains(.initial) {
        mailbox.put(Delivery(change: .initial(initial), observers: [observer]))
      }
      hasNews.store(true, ordering: .releasing)
      return observer
    }
    return ObservationToken(observer, in: self)
  }

  /// Registers an observer, like ``observe(_:options:initial:_:)``, and looks its present entries
  /// up if it wants an initial event: of its names, or of `allNames` if `names` is nil.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    allNames: @autoclosure () -> Set<String>,
    entry: (_ name: String) -> Defaults.PropertyListValue?,
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    var initial: [String: Defaults.PropertyListValue?] = [:]
    if options.contains(.initial) {
      for name in names ?? allNames() { initial.updateValue(entry(name), forKey: name) }
    }
    return observe(names, options: options, initial: initial, handler)
  }

  /// Whether an observation of this name, or of all names, is running.
  public func isObserved(_ name: String) -> Bool {
    guard isUsed.load(ordering: .relaxed) else { return false }
    return state.withLock { !$0.observersOfAll.isEmpty || $0.observersByName[name] != nil }
  }

  func remove(_ observer: Observer) {
    state.withLock { state in
      if let names = observer.names {
        for name in names {
          if state.observersByName[name]?.remove(observer) == true { state.registrations -= 1 }
          if state.observersByName[name]?.isEmpty == true { state.observersByName[name] = nil }
        }
      } else if state.observersOfAll.remove(observer) {
        state.registrations -= 1
      }
    }
  }

  /// Whether so many observers were added that some may be of the dead.
  func isSweepDue(_ state: State) -> Bool {
    state.registrations >= state.sweepAt
  }

  /// Takes out the observers whose owners died. Called without any lock: an owner that is asked for
  /// may die of that, and what handlers captured may run code when it goes.
  func removeDeadObservers() {
    let observers = state.withLock { state in
      state.sweepAt = max(64, 2 * state.registrations)
      var observers = state.observersOfAll.members()
      for name in Array(state.observersByName.keys) { observers += state.observers(of: name) }
      return observers
    }
    for observer in observers where observer.hasOutlivedOwner {
      remove(observer)
      observer.end()
    }
  }
}

extension Defaults.SuiteSupport.State {
  mutating func add(_ observer: Observer, to names: some Collection<String>) {
    for name in names { observersByName[name, default: ObserverList()].add(observer) }
    registrations += names.count
  }

  /// Those that named this name, in the order of their registration.
  mutating func observers(of name: String) -> [Observer] {
    observersByName[name]?.members() ?? []
  }
}

// MARK: - Registered defaults and issues

extension Defaults.SuiteSupport {
  /// Adds defaults; they are never stored, and win over those that keys bring along.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    registered.withLock { $0.merge(defaults) { _, new in new } }
  }

  /// Takes what keys of the program's suite bring along for this suite's, too.
  func knowsKeysOfProgram() {
    isStandard.store(true, ordering: .relaxed)
  }

  /// The default from `register(defaults:)`, which a typed read also takes.
  public func registeredDefault(named name: String) -> Defaults.PropertyListValue? {
    registered.withLock { $0[name] }
  }

  /// All defaults, those of keys included.
  func allRegisteredDefaults() -> [String: Defaults.PropertyListValue] {
    var all = isStandard.load(ordering: .relaxed) ? KeyDefaults.ofProgram.all : [:]
    all.merge(defaultsOfKeys.all) { _, own in own }
    all.merge(registered.withLock { $0 }) { _, explicit in explicit }
    return all
  }

  /// The default of a name for an untyped look-up: registered, else that of a key.
  func anyDefault(named name: String) -> Defaults.PropertyListValue? {
    if let value = registeredDefault(named: name) ?? defaultsOfKeys[name] { return value }
    guard isStandard.load(ordering: .relaxed) else { return nil }
    return KeyDefaults.ofProgram[name]
  }

  /// Hands a problem that no call can throw to the handler, unless the same one was before.
  public func report(_ error: Defaults.SuiteError) {
    reporter.report(issue(about: error))
  }

  /// Has the next ``deliver()`` report a problem that was found under a lock.
  func reportLater(_ problems: [Defaults.SuiteError]) {
    guard !problems.isEmpty else { return }
    state.withLock { $0.problems += problems }
    hasNews.store(true, ordering: .releasing)
  }

  /// Holds something until the next ``deliver()``: its end may take locks that are held now.
  func releaseLater(_ object: any Sendable) {
    state.withLock { $0.remains.append(object) }
    hasNews.store(true, ordering: .releasing)
  }

  /// Keeps a problem from being reported, since a caller got it as an error.
  func countAsReported(_ error: Defaults.SuiteError) {
    _ = reporter.isNew(issue(about: error))
  }

  private func issue(about error: Defaults.SuiteError) -> Defaults.Issue {
    var error = error
    error.suite = error.suite ?? label
    return Defaults.Issue(error)
  }

  /// Lets problems be reported anew that were about a key, or about saving if `key` is nil, because
  /// they are over.
  func forgetIssues(about key: String?) {
    reporter.forgetIssues(about: key)
  }
}
