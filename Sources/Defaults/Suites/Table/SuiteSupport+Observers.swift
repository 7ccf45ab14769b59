import Foundation
import Synchronization

/// Observers, and telling them of changes in the order of the commits.
extension Defaults.SuiteSupport {
  /// Registers an observer of some names, or of all if `names` is nil.
  ///
  /// `initial` are the present entries of these names, for an observer that wants an initial event;
  /// the caller holds the lock under which entries are committed, so that no change is missed or
  /// seen twice. Call ``deliver()`` after releasing it.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    initial: [String: Defaults.PropertyListValue?], _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    let observer = state.withLock { state in
      isUsed.store(true, ordering: .relaxed)
      let observer = Observer(
        number: state.observers.nextNumber(), names: names, options: options, handler: handler)
      state.observers.add(observer)
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
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    var initial: [String: PropertyListValue?] = [:]
    if options.contains(.initial) {
      for name in names ?? allNames() { initial.updateValue(entry(name), forKey: name) }
    }
    return observe(names, options: options, initial: initial, handler)
  }

  /// Whether an observation of this name, or of all names, is running.
  public func isObserved(_ name: String) -> Bool {
    isUsed.load(ordering: .relaxed) && state.withLock { $0.observers.has(name) }
  }

  /// Whether a change of this name would interest anybody; saves building one that doesn't.
  func isAwaited(_ name: String) -> Bool {
    notificationWanted.load(ordering: .relaxed) || isObserved(name)
  }

  /// Puts a committed change in the queue for those who observe its names now. Called under the
  /// lock under which it was committed, so that the queue has the order of the commits.
  ///
  /// Returns whether anybody wants it; ``deliver()`` needn't be called otherwise.
  @discardableResult
  public func enqueue(_ change: Defaults.Change) -> Bool {
    let isPosted = notificationWanted.load(ordering: .relaxed)
    return state.withLock { state in
      var observers = state.observers.members(for: change)
      guard isPosted || !observers.isEmpty else { return false }
      var change = change
      // What others did may come in while this thread is silent.
      if change.source == .local, TaskContext.current.isSilent {
        change.kind = .silent
        observers.removeAll { !$0.wantsSilent }
        if observers.isEmpty { return false }
      }
      mailbox.put(Delivery(change: change, observers: observers))
      hasNews.store(true, ordering: .releasing)
      if change.source == .external { hasExternalNews.store(true, ordering: .releasing) }
      return true
    }
  }

  /// Calls the handlers of what is in the queue, in order, outside every lock; costs a load if
  /// there is nothing.
  ///
  /// If another thread, or a handler further up on this one, is doing that already, it will do this
  /// too, and the call returns at once. Inside of a transaction of another suite it is put off
  /// until that has ended: a handler may write any suite.
  public func deliver() {
    guard hasNews.load(ordering: .acquiring) else { return }
    if TransactionScope.isRunning { return TransactionScope.callOutside { self.deliver() } }
    let derived = state.withLock { state in
      // The thread that delivers goes on until the mailbox is empty.
      hasNews.store(false, ordering: .relaxed)
      hasExternalNews.store(false, ordering: .relaxed)
      defer { state.derived = [] }
      return state.derived
    }
    reportProblems()
    // An argument, not a variable: the objects that it holds are released before handlers run.
    end(state.withLock { $0.observers.sweep() })
    mailbox.deliver { run($0) }
    for support in derived { support.deliver() }
  }

  /// What a thread of the library calls: delivers if another process has changed something.
  ///
  /// What this process changed is delivered by the thread that changed it, whose setter has then
  /// run the handlers when it returns.
  package func deliverExternal() {
    if hasExternalNews.load(ordering: .acquiring) { deliver() } else { reportProblems() }
  }

  /// Reports what went wrong under a lock, and releases what had to wait for the end of one.
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
    for observer in delivery.observers where isNews && observer.wantsPrior {
      observer.receive(delivery.change.announced)
    }
    let dead = delivery.observers.filter { $0.receive(delivery.change) }
    if !dead.isEmpty { remove(dead) }
    guard isNews, notificationWanted.load(ordering: .relaxed) else { return }
    TaskContext.handling(in: TaskContext.current.scope) {
      Defaults.postNotification(of: delivery.change, label: label)
    }
  }

  fileprivate func remove(_ observers: [Observer]) {
    state.withLock { state in
      for observer in observers { state.observers.remove(observer) }
    }
  }

  fileprivate func noteTie(of observer: Observer) {
    state.withLock { $0.observers.noteTie(of: observer) }
  }

  /// Removes all observers whose owners have died. Called without any lock: what handlers captured
  /// may run code when it is released.
  func removeDeadObservers() {
    end(state.withLock { $0.observers.sweep(isWhole: true) })
  }

  private func end(_ sweep: ObserverRegistry.Sweep) {
    if sweep.dead.isEmpty { return }
    for observer in sweep.dead { observer.end() }
    state.withLock { $0.observers.noteEnd() }
  }
}

/// The token of one observer.
private final class ObservationToken: TiedObservation {
  private let observer: Observer
  /// Weak, since a tied observer keeps its token, and the support keeps the observer.
  ///
  /// Unsafe for the compiler alone: it is written by the initializer only, and Swift reads a weak
  /// reference atomically.
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
    if observer.tie(to: owner, keeping: token) {
      support?.noteTie(of: observer)
    } else {
      invalidate()
    }
  }

  func removeLifetimeTie() {
    if !observer.untie() { invalidate() }
  }
}

// MARK: - The notification

/// Whether the program has asked for the name of the notification.
private let notificationWanted = Atomic(false)

extension Defaults {
  /// Posted to `NotificationCenter.default` after each change, when the handlers of the suite have
  /// run.
  ///
  /// `userInfo` holds a `[String]` of the changed names under ``changedNamesKey``, sorted, the
  /// suite's label under ``suiteLabelKey``, and the writer's mark, if it has one, as a `String`
  /// under ``originKey``; `object` is nil. Posted on the thread that delivers, one at a time per
  /// suite, in the order of the commits. A program that never asks for this name pays nothing:
  /// posting begins when the property is first read.
  public static var didChangeNotification: Notification.Name {
    notificationWanted.store(true, ordering: .relaxed)
    return changeNotificationName
  }

  /// The key of the changed names in a notification's `userInfo`.
  public static let changedNamesKey = "names"
  /// The key of the suite's label in a notification's `userInfo`.
  public static let suiteLabelKey = "suite"

  /// The key of the writer's mark in a notification's `userInfo`.
  public static let originKey = "origin"

  private static let changeNotificationName = Notification.Name("Defaults.didChangeNotification")

  fileprivate static func postNotification(of change: Change, label: String) {
    var info: [String: Any] = [changedNamesKey: change.names.inByteOrder, suiteLabelKey: label]
    info[originKey] = change.origin
    NotificationCenter.default.post(name: changeNotificationName, object: nil, userInfo: info)
  }
}
