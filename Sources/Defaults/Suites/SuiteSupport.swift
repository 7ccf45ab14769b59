import Synchronization

extension Defaults {
  /// What every suite needs and none should write again: observers with ordered delivery,
  /// registered defaults, and issues that are reported once.
  ///
  /// A suite that does everything itself holds one, and keeps three rules; the laws about
  /// observation then hold for it:
  ///
  /// 1. call ``enqueue(_:)`` for a change, and ``observe(_:options:initial:_:)`` for a new
  ///    observer, while holding the lock under which entries are committed;
  /// 2. call ``deliver()`` after releasing it, whenever one of them was called;
  /// 3. hold no lock that a handler could need while calling ``deliver()``.
  public final class SuiteSupport: Sendable {
    /// What the suite is called in errors and issues.
    public let label: String

    private struct State {
      var observersByName: [String: [Observer]] = [:]
      var observersOfAll: [Observer] = []
      var lastNumber: UInt64 = 0
      var sweepAt = 64
      var queue: [Delivery] = []
      var isDelivering = false
      /// Observers whose owners died, until somebody comes who holds no lock: what their handlers
      /// captured may run code when it goes.
      var dead: [Observer] = []
    }

    private struct Delivery {
      var change: Change
      var observers: [Observer]
    }

    private let state = Lock(State())
    /// Whether there ever was an observer: a setter needn't look for any before.
    private let isUsed = Atomic(false)
    /// From `register(defaults:)`: these win over the defaults of keys.
    private let registered = Lock([String: PropertyListValue]())
    /// What keys of the suite brought along.
    let keys = KeyRegistry()
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
      sweep(&state)
      isUsed.store(true, ordering: .relaxed)
      state.lastNumber += 1
      let observer = Observer(
        number: state.lastNumber, names: names, options: options, handler: handler)
      if let names {
        for name in names { state.observersByName[name, default: []].append(observer) }
      } else {
        state.observersOfAll.append(observer)
      }
      if options.contains(.initial) {
        state.queue.append(Delivery(change: .initial(initial), observers: [observer]))
      }
      return observer
    }
    return ObservationToken(observer, in: self)
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
          state.observersByName[name]?.removeAll { $0 === observer }
          if state.observersByName[name]?.isEmpty == true { state.observersByName[name] = nil }
        }
      } else {
        state.observersOfAll.removeAll { $0 === observer }
      }
    }
  }

  /// Takes out the observers whose owners died. Called without any lock.
  func removeDeadObservers() {
    state.withLock { state in
      state.sweepAt = 0
      sweep(&state)
    }
    releaseDeadObservers()
  }

  private func releaseDeadObservers() {
    let dead = state.withLock { state in
      defer { state.dead = [] }
      return state.dead
    }
    for observer in dead { observer.end() }
  }

  /// Takes out the observers whose owners died, each time the number of names has doubled.
  private func sweep(_ state: inout State) {
    func count() -> Int { state.observersByName.count + state.observersOfAll.count }
    guard count() >= state.sweepAt else { return }
    state.dead += state.observersOfAll.filter(\.hasOutlivedOwner)
    state.observersOfAll.removeAll(where: \.hasOutlivedOwner)
    for (name, observers) in state.observersByName {
      let alive = observers.filter { !$0.hasOutlivedOwner }
      state.dead += observers.filter { observer in !alive.contains { $0 === observer } }
      state.observersByName[name] = alive.isEmpty ? nil : alive
    }
    state.sweepAt = max(64, 2 * count())
  }
}

// MARK: - Delivery

extension Defaults.SuiteSupport {
  /// Puts a committed change in the queue for those who observe its names now. Called under the
  /// lock under which it was committed, so that the queue has the order of the commits.
  ///
  /// Returns whether anybody wants it; ``deliver()`` needn't be called otherwise.
  @discardableResult
  public func enqueue(_ change: Defaults.Change) -> Bool {
    let isPosted = Defaults.isNotificationWanted
    return state.withLock { state in
      var observers = observers(of: change, in: state)
      guard isPosted || !observers.isEmpty else { return false }
      var change = change
      // What others did may come in while this thread is silent.
      if change.source == .local, Defaults.isPropagationStopped {
        change.isSilent = true
        observers.removeAll { !$0.wantsSilent }
        if observers.isEmpty { return false }
      }
      state.queue.append(Delivery(change: change, observers: observers))
      return true
    }
  }

  /// Whether a change of this name would interest anybody; saves building one that doesn't.
  func isAwaited(_ name: String) -> Bool {
    Defaults.isNotificationWanted || isObserved(name)
  }

  private func observers(of change: Defaults.Change, in state: State) -> [Observer] {
    if change.entries.count == 1, state.observersOfAll.isEmpty, let name = change.entries.keys.first
    {
      return state.observersByName[name] ?? []
    }
    var byNumber: [UInt64: Observer] = [:]
    for observer in state.observersOfAll { byNumber[observer.number] = observer }
    for name in change.entries.keys {
      for observer in state.observersByName[name] ?? [] { byNumber[observer.number] = observer }
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Calls the handlers of what is in the queue, in order, outside every lock.
  ///
  /// If another thread, or a handler further up on this one, is doing that already, it will do this
  /// too, and the call returns at once.
  public func deliver() {
    let (isMine, hasDead) = state.withLock { state in
      let isMine = !state.isDelivering && !state.queue.isEmpty
      if isMine { state.isDelivering = true }
      return (isMine, !state.dead.isEmpty)
    }
    if hasDead { releaseDeadObservers() }
    guard isMine else { return }
    // What handlers write is their own, whatever the writer is doing on whose thread they run.
    OriginScope.leave {
      Defaults.resumingPropagation {
        while let batch = nextBatch() {
          for delivery in batch { run(delivery) }
        }
      }
    }
  }

  private func nextBatch() -> [Delivery]? {
    state.withLock { state in
      guard !state.queue.isEmpty else {
        state.isDelivering = false
        return nil
      }
      defer { state.queue = [] }
      return state.queue
    }
  }

  private func run(_ delivery: Delivery) {
    let isNews = !delivery.change.isInitial && !delivery.change.isSilent
    if isNews {
      let announced = delivery.change.announced
      for observer in delivery.observers where observer.wantsPrior { observer.receive(announced) }
    }
    for observer in delivery.observers {
      observer.receive(delivery.change)
      if observer.isOver { remove(observer) }
    }
    if isNews { Defaults.postNotification(of: delivery.change, label: label) }
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

  /// The names under which a setting was stored before, as keys of the suite say; the latest first.
  func previousNames(of name: String) -> [String] {
    let own = keys.previousNames(of: name)
    guard own.isEmpty, isStandard.load(ordering: .relaxed) else { return own }
    return KeyRegistry.ofProgram.previousNames(of: name)
  }

  /// All settings that keys of the suite say were renamed.
  var previousNames: [String: [String]] {
    let ofProgram = isStandard.load(ordering: .relaxed) ? KeyRegistry.ofProgram.previousNames : [:]
    return ofProgram.merging(keys.previousNames) { _, own in own }
  }

  /// The default from `register(defaults:)`, which a typed read also takes.
  public func registeredDefault(named name: String) -> Defaults.PropertyListValue? {
    registered.withLock { $0[name] }
  }

  /// All defaults, those of keys included.
  func allRegisteredDefaults() -> [String: Defaults.PropertyListValue] {
    var all = isStandard.load(ordering: .relaxed) ? KeyRegistry.ofProgram.defaults : [:]
    all.merge(keys.defaults) { _, own in own }
    all.merge(registered.withLock { $0 }) { _, explicit in explicit }
    return all
  }

  /// The default of a name for an untyped look-up: registered, else that of a key.
  func anyDefault(named name: String) -> Defaults.PropertyListValue? {
    if let value = registeredDefault(named: name) ?? keys.default(named: name) { return value }
    guard isStandard.load(ordering: .relaxed) else { return nil }
    return KeyRegistry.ofProgram.default(named: name)
  }

  /// Hands a problem that no call can throw to the handler, unless the same one was before.
  public func report(_ error: Defaults.SuiteError) {
    reporter.report(issue(about: error))
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
