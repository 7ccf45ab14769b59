import Synchronization

/// A registered handler of a suite, with its names, options and lifetime.
final class Observer: Sendable {
  typealias Handler = Defaults.Handler<Defaults.Change>

  /// The object with which the observation ends, and the observation's token, which is kept until
  /// then.
  typealias Tie = (owner: Weak<AnyObject>, token: any Defaults.Observation)

  private struct State {
    /// nil after the end of the observation.
    var call: Call?
    /// nil if the observation ends with its token.
    var tie: Tie?
  }

  /// Everything whose release may run the program's code.
  private struct Call {
    let handler: Handler
    /// The scope's `.standard` at the start of the observation, since the handler may run anywhere.
    /// nil without a scope.
    let scope: (any AnyObject & Sendable)?
    /// The queue of the handler's actor; nil if the handler runs on the delivering thread.
    let queue: ActorQueue?
  }

  /// The number of the registration. Handlers are called in the order of these numbers.
  let number: UInt64
  let options: Defaults.ObservationOptions
  /// The observed names; nil means all.
  let names: Set<String>?
  private let state: Lock<State>
  /// Whether the observer is in the list of ``TiedObservers``. Accessed only under its lock; atomic
  /// to satisfy the compiler.
  let isListed = Atomic(false)

  init(
    number: UInt64, names: Set<String>?, options: Defaults.ObservationOptions, handler: Handler
  ) {
    self.number = number
    self.options = options
    self.names = names
    state = Lock(
      State(
        call: Call(
          handler: handler,
          scope: options.contains(.deliveringScope) ? nil : TaskContext.current.scope,
          queue: handler.isolation.map(ActorQueue.init))))
  }

  /// Passes the event to the handler unless the observation has ended. Called without any lock.
  ///
  /// - Returns: Whether the observation has ended, so that the observer can be removed.
  @discardableResult
  func receive(_ change: Defaults.Change) -> Bool {
    unlessOver { call in
      let change = change.restricted(to: names)
      guard let queue = call.queue else { return run(call, change) }
      // The observation may end while the event waits for the actor.
      queue.run(change) { [self] change in unlessOver { run($0, change) } }
    }
  }

  /// Runs a body with the handler to call, or ends the observation and returns true.
  @discardableResult
  private func unlessOver(_ body: (Call) -> Void) -> Bool {
    let isOver = withPresent { call in
      if let call { body(call) }
      return call == nil
    }
    if isOver { end() }
    return isOver
  }

  private func run(_ call: Call, _ change: Defaults.Change) {
    let scope = options.contains(.deliveringScope) ? TaskContext.current.scope : call.scope
    TaskContext.handling(in: scope) { call.handler.body(change) }
  }

  /// Whether the handler will never be called again.
  var isOver: Bool { withPresent { $0 == nil } }

  /// Runs a body with the handler to call, or nil if the observation has ended or its owner has
  /// died. Retains the owner meanwhile; call it without any lock, since it may release the owner.
  private func withPresent<Result>(_ body: (Call?) -> Result) -> Result {
    let (call, isTied, owner) = state.withLock { ($0.call, $0.tie != nil, $0.tie?.owner.object) }
    return withExtendedLifetime(owner) { body(isTied && owner == nil ? nil : call) }
  }

  /// Whether the observation is tied to an object, and the object if it lives. The caller must
  /// release it without a lock, since it may be the last reference.
  var tie: (isTied: Bool, owner: AnyObject?) {
    state.withLock { ($0.tie != nil, $0.tie?.owner.object) }
  }

  func end() {
    // Releases the old state without the lock, since the deinitializers of captured objects may
    // call this again.
    state.replace(with: State())
  }

  /// Ties the observation to an owner and keeps the token. With nil, it lasts as long as its token.
  /// Returns false, without effect, if it has ended.
  func setTie(_ tie: Tie?) -> Bool {
    if isOver { return false }
    // Release the earlier tie without the lock, as in `end()`.
    let (earlier, isChanged) = state.withLock { state in
      let earlier = state.tie
      if state.call == nil { return (earlier, false) }
      state.tie = tie
      return (earlier, true)
    }
    withExtendedLifetime(earlier) {}
    return isChanged
  }

  /// Whether the observation ends with its token.
  var dependsOnToken: Bool { state.withLock { $0.call != nil && $0.tie == nil } }
}

/// A change or an initial event, and its recipients.
struct Delivery: Sendable {
  var change: Defaults.Change
  var observers: [Observer]
}
