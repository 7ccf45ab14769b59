import Foundation
import Synchronization

/// The registration of observers, and the delivery of changes in commit order.
extension Defaults.SuiteSupport {
  /// Registers an observer of some names, or of all names if `names` is nil.
  ///
  /// Call this under the lock under which entries are committed, so that the observer neither
  /// misses a change nor sees it twice. Call ``deliver()`` after releasing the lock.
  ///
  /// - Parameters:
  ///   - names: The names, or nil for all.
  ///   - options: Requests for additional events.
  ///   - initial: The current entries of the names, for an initial event.
  ///   - handler: Called with each change.
  /// - Returns: The token of the observation.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    initial: [String: Defaults.PropertyListValue?], _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    let observer = state.withLock { state in
      isUsed.store(true, ordering: .relaxed)
      let observer = Observer(
        number: state.observers.nextNumber(), names: names, options: options, handler: handler)
      state.observers.add(observer)
      TiedObservers.noteObservation()
      if options.contains(.initial) {
        mailbox.put(Delivery(change: .initial(initial), observers: [observer]))
      }
      hasNews.store(true, ordering: .releasing)
      return observer
    }
    return ObservationToken(observer, in: self)
  }

  /// Registers an observer like ``observe(_:options:initial:_:)``. For an initial event, looks up
  /// the entries of its names, or of `allNames` if `names` is nil.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    allNames: @autoclosure () -> Set<String>,
    entry: (_ name: String) -> Defaults.PropertyListValue?,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    var initial: [String: PropertyListValue?] = [:]
    if options.contains(.initial) {
      for name in names ?? allNames() { initial.updateValue(entry(name), forKey: name) }
    }
    return observe(names, options: options, initial: initial, handler)
  }

  /// Returns whether a running observation includes this name.
  public func isObserved(_ name: String) -> Bool {
    isUsed.load(ordering: .relaxed) && state.withLock { $0.observers.has(name) }
  }

  /// Returns whether a change of this name has a recipient. Otherwise, the change needn't be built.
  func isAwaited(_ name: String) -> Bool {
    notificationWanted.load(ordering: .relaxed) || isObserved(name)
  }

  /// Queues a committed change for the current observers of its names. Call this under the lock
  /// under which the change was committed, so that the queue is in commit order. Call it for every
  /// change, also of names without observers: after it, a generated default is generated again.
  ///
  /// - Returns: Whether the change has a recipient. Otherwise ``deliver()`` needn't be called.
  @discardableResult
  public func enqueue(_ change: Defaults.Change) -> Bool {
    let isPosted = notificationWanted.load(ordering: .relaxed)
    return state.withLock { state in
      if !state.cells.isEmpty {
        for name in change.entries.keys { state.cells[name]?.advance() }
      }
      var observers = state.observers.members(for: change)
      guard isPosted || !observers.isEmpty else { return false }
      var change = change
      // Only local changes are silent: external changes may be applied on this thread meanwhile.
      if change.source == .local, TaskContext.current.isSilent {
        change.kind = .silent
        observers.removeAll { !$0.options.contains(.silent) }
        if observers.isEmpty { return false }
      }
      mailbox.put(Delivery(change: change, observers: observers))
      hasNews.store(true, ordering: .releasing)
      if change.source == .external { hasExternalNews.store(true, ordering: .releasing) }
      return true
    }
  }

  /// Calls the handlers of the queued changes, in order, outside of every lock. An empty queue
  /// costs one atomic load.
  ///
  /// Returns at once if another thread, or a handler further up the stack, is already delivering.
  /// That thread or handler then also delivers these changes. In a transaction of another suite,
  /// delivery waits for the end of the transaction, since a handler may write to any suite.
  public func deliver() {
    guard hasNews.load(ordering: .acquiring) else { return }
    if TransactionScope.current != nil { return TransactionScope.callOutside { self.deliver() } }
    let derived = state.withLock { state in
      // The delivering thread continues until the mailbox is empty.
      hasNews.store(false, ordering: .relaxed)
      hasExternalNews.store(false, ordering: .relaxed)
      defer { state.derived = [] }
      return state.derived
    }
    reportProblems()
    TiedObservers.sweep()
    mailbox.deliver { run($0) }
    for support in derived { support.deliver() }
  }

  /// Reports problems, and delivers if another process, or a layer, has made a change. Changes of
  /// this process are delivered by the thread that made them, before the setter returns.
  package func deliverExternal() {
    if hasExternalNews.load(ordering: .acquiring) { return deliver() }
    TransactionScope.callOutside { self.reportProblems() }
  }

  /// Runs a body that no caller waits for, and reports its error.
  func attempt(_ body: () throws(SuiteError) -> Void) {
    reporting(body)
    deliverExternal()
  }

  /// Runs a body, and reports its error.
  func reporting(_ body: () throws(SuiteError) -> Void) {
    do throws(SuiteError) { try body() } catch { report(error) }
  }

  /// Reports problems that were found under a lock, and releases objects that had to wait for it.
  private func reportProblems() {
    let (problems, releasedLater, scopes) = state.withLock { state in
      defer { (state.problems, state.releasedLater, state.scopes) = ([], [], []) }
      return (state.problems, state.releasedLater, state.scopes)
    }
    withExtendedLifetime(releasedLater) {}
    for scope in scopes { scope.end() }
    for problem in problems { report(problem) }
  }

  private func run(_ delivery: Delivery) {
    let isNews = delivery.change.kind == .made
    for observer in delivery.observers where isNews && observer.options.contains(.prior) {
      var prior = delivery.change
      prior.kind = .announced
      observer.receive(prior)
    }
    let dead = delivery.observers.filter { $0.receive(delivery.change) }
    if !dead.isEmpty { remove(dead) }
    guard isNews, notificationWanted.load(ordering: .relaxed) else { return }
    TaskContext.handling(in: TaskContext.current.scope) {
      Defaults.postNotification(of: delivery.change, label: label)
    }
  }

  func remove(_ observers: [Observer]) {
    state.withLock { state in
      for observer in observers { state.observers.remove(observer) }
    }
  }

  /// Removes all observers whose owners have died. Call this without any lock, since releasing
  /// captured objects may run any code.
  func removeDeadObservers() {
    let dead = state.withLock { $0.observers.all }.filter(\.isOver)
    // The latest first, after which fewer observers move.
    remove(dead.reversed())
    for observer in dead { observer.end() }
  }
}

/// The token of one observer.
private final class ObservationToken: TiedObservation {
  private let observer: Observer
  /// Weak, since a tied observer keeps its token and the support keeps the observer.
  ///
  /// `nonisolated(unsafe)` only satisfies the compiler: only the initializer writes it, and Swift
  /// reads weak references atomically.
  private nonisolated(unsafe) weak var support: Defaults.SuiteSupport?

  init(_ observer: Observer, in support: Defaults.SuiteSupport) {
    self.observer = observer
    self.support = support
  }

  deinit { if observer.dependsOnToken { invalidate() } }

  func invalidate() {
    observer.end()
    support?.remove([observer])
  }

  func tie(to owner: AnyObject, keeping token: any Defaults.Observation) {
    // Without its suite, no event follows, and nothing would end the observation with its owner.
    guard let support, observer.setTie((Weak(object: owner), token)) else { return invalidate() }
    TiedObservers.add(observer, of: support)
  }

  func removeLifetimeTie() { if !observer.setTie(nil) { invalidate() } }
}

// MARK: - The notification

/// Whether the program has read the name of the notification.
private let notificationWanted = Atomic(false)

extension Defaults {
  /// The name of the notification that `NotificationCenter.default` posts after each change, when
  /// the suite's handlers have run.
  ///
  /// `userInfo` has the sorted changed names as a `[String]` under ``changedNamesKey``, the suite's
  /// label under ``suiteLabelKey``, and the writer's origin, if any, as a `String` under
  /// ``originKey``. `object` is nil. Notifications are posted on the delivering thread, one at a
  /// time per suite, in commit order. Posting begins when this property is first read, so programs
  /// that don't read it have no cost.
  public static var didChangeNotification: Notification.Name {
    notificationWanted.store(true, ordering: .relaxed)
    return changeNotificationName
  }

  /// The key of the changed names in a notification's `userInfo`.
  public static let changedNamesKey = "names"
  /// The key of the suite's label in a notification's `userInfo`.
  public static let suiteLabelKey = "suite"

  /// The key of the writer's origin in a notification's `userInfo`.
  public static let originKey = "origin"

  private static let changeNotificationName = Notification.Name("Defaults.didChangeNotification")

  fileprivate static func postNotification(of change: Change, label: String) {
    var info: [String: Any] = [changedNamesKey: change.names.inByteOrder, suiteLabelKey: label]
    info[originKey] = change.origin
    NotificationCenter.default.post(name: changeNotificationName, object: nil, userInfo: info)
  }
}
