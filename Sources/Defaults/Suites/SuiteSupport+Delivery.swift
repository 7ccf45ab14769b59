/// Telling observers of changes, in the order of the commits.
extension Defaults.SuiteSupport {
  /// A change, or the first event of an observer, and who is to get it.
  struct Delivery: Sendable {
    var change: Defaults.Change
    var observers: [Observer]
  }

  /// Puts a committed change in the queue for those who observe its names now. Called under the
  /// lock under which it was committed, so that the queue has the order of the commits.
  ///
  /// Returns whether anybody wants it; ``deliver()`` needn't be called otherwise.
  @discardableResult
  public func enqueue(_ change: Defaults.Change) -> Bool {
    let isPosted = Defaults.isNotificationWanted
    return state.withLock { state in
      var observers = state.observers(of: change)
      guard isPosted || !observers.isEmpty else { return false }
      var change = change
      // What others did may come in while this thread is silent.
      if change.source == .local, TaskContext.current.silence?.isOpen == true {
        change.kind = .silent
        observers.removeAll { !$0.wantsSilent }
        if observers.isEmpty { return false }
      }
      mailbox.put(Delivery(change: change, observers: observers))
      hasNews.store(true, ordering: .releasing)
      return true
    }
  }

  /// Whether a change of this name would interest anybody; saves building one that doesn't.
  func isAwaited(_ name: String) -> Bool {
    Defaults.isNotificationWanted || isObserved(name)
  }

  /// Calls the handlers of what is in the queue, in order, outside every lock; costs a load if
  /// there is nothing.
  ///
  /// If another thread, or a handler further up on this one, is doing that already, it will do this
  /// too, and the call returns at once.
  public func deliver() {
    guard hasNews.load(ordering: .acquiring) else { return }
    let (mustSweep, problems, remains) = state.withLock { state in
      // Whoever delivers goes on until the mailbox is empty.
      hasNews.store(false, ordering: .relaxed)
      defer { (state.problems, state.remains) = ([], []) }
      return (isSweepDue(state), state.problems, state.remains)
    }
    withExtendedLifetime(remains) {}
    for problem in problems { report(problem) }
    if mustSweep { removeDeadObservers() }
    mailbox.deliver { run($0) }
  }

  private func run(_ delivery: Delivery) {
    let isNews = delivery.change.kind == .made
    if isNews {
      let announced = delivery.change.announced
      for observer in delivery.observers where observer.wantsPrior { observer.receive(announced) }
    }
    for observer in delivery.observers {
      if observer.receive(delivery.change) { remove(observer) }
    }
    guard isNews, Defaults.isNotificationWanted else { return }
    TaskContext.handling(in: TaskContext.current.scope) {
      Defaults.postNotification(of: delivery.change, label: label)
    }
  }
}

extension Defaults.SuiteSupport.State {
  /// Who is to hear of a change, in the order of their registration.
  fileprivate mutating func observers(of change: Defaults.Change) -> [Observer] {
    if change.entries.count == 1, observersOfAll.isEmpty, let name = change.entries.keys.first {
      return observers(of: name)
    }
    var byNumber: [UInt64: Observer] = [:]
    for observer in observersOfAll.members() { byNumber[observer.number] = observer }
    for name in change.entries.keys {
      for observer in observers(of: name) { byNumber[observer.number] = observer }
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }
}
