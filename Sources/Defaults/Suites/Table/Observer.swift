import Synchronization

/// A registered handler of a suite, with its names, options and lifetime.
final class Observer: Sendable {
  typealias Handler = Defaults.Handler<Defaults.Change>

  private enum Lifetime {
    /// Ends with the token.
    case token
    /// Ends with the object. The observation's token is kept until then.
    case tied(Weak<AnyObject>, token: any Defaults.Observation)
    case over
  }

  private struct State {
    /// nil after the end of the observation.
    var call: Call?
    var lifetime = Lifetime.token
  }

  /// Everything whose release may run the program's code.
  private struct Call {
    let handler: Handler
    /// The scope's `.standard` at the start of the observation, since the handler may run anywhere.
    let scope: (any AnyObject & Sendable)?
    /// The queue of the handler's actor; nil if the handler runs on the delivering thread.
    let queue: ActorQueue?
  }

  /// The number of the registration. Handlers are called in the order of these numbers.
  let number: UInt64
  let wantsPrior: Bool
  let wantsSilent: Bool
  /// The observed names; nil means all.
  let names: Set<String>?
  private let state: Lock<State>
  /// Accessed only under the lock of the suite's observers; atomic to satisfy the compiler.
  private let positionOrNone = Atomic(-1)

  init(
    number: UInt64, names: Set<String>?, options: Defaults.ObservationOptions, handler: Handler
  ) {
    self.number = number
    wantsPrior = options.contains(.prior)
    wantsSilent = options.contains(.silent)
    self.names = names
    state = Lock(
      State(
        call: Call(
          handler: handler, scope: TaskContext.current.scope,
          queue: handler.isolation.map(ActorQueue.init))))
  }

  /// Passes the event to the handler unless the observation has ended. Called without any lock.
  ///
  /// - Returns: Whether the observation has ended, so that the observer can be removed.
  @discardableResult
  func receive(_ change: Defaults.Change) -> Bool {
    guard let call = present else {
      end()
      return true
    }
    let change = change.restricted(to: names)
    if let queue = call.queue {
      queue.run(change, receiveOnActor)
    } else {
      run(call, change)
    }
    return false
  }

  /// Passes an event that has waited for the handler's actor to the handler, unless the observation
  /// has ended meanwhile.
  private func receiveOnActor(_ change: Defaults.Change) {
    if let call = present { run(call, change) } else { end() }
  }

  private func run(_ call: Call, _ change: Defaults.Change) {
    TaskContext.handling(in: call.scope) { call.handler.body(change) }
  }

  /// Whether the handler will never be called again.
  var isOver: Bool { present == nil }

  /// The handler to call; nil if the observation has ended or its owner has died.
  ///
  /// Call this without any lock: it may release the last reference to the owner.
  private var present: Call? {
    let (call, isTied, owner) = state.withLock { state -> (Call?, Bool, AnyObject?) in
      guard case .tied(let weak, _) = state.lifetime else { return (state.call, false, nil) }
      return (state.call, true, weak.object)
    }
    defer { withExtendedLifetime(owner) {} }
    return isTied && owner == nil ? nil : call
  }

  /// The position in the list of the suite's tied observers; nil if the observer isn't in it.
  var position: Int? {
    get {
      let position = positionOrNone.load(ordering: .relaxed)
      return position < 0 ? nil : position
    }
    set { positionOrNone.store(newValue ?? -1, ordering: .relaxed) }
  }

  /// The state of the tie to an owner.
  enum Tie {
    /// There is no tie, or the observation has ended.
    case none
    /// The owner lives. The caller must release it without a lock, since it may be the last
    /// reference.
    case alive(AnyObject)
    case dead
  }

  /// The state of the tie to an owner.
  var tie: Tie {
    state.withLock { state in
      guard case .tied(let weak, _) = state.lifetime else { return .none }
      return weak.object.map(Tie.alive) ?? .dead
    }
  }

  /// Whether the observation is tied to an owner, even one that has died.
  var isTied: Bool { state.withLock { if case .tied = $0.lifetime { true } else { false } } }

  func end() {
    // Releases the old state without the lock, since the deinitializers of captured objects may
    // call this again.
    state.replace(with: State(call: nil, lifetime: .over))
  }

  /// Ties the observation to an owner and keeps the token. Returns false, without effect, if it has
  /// ended.
  func tie(to owner: AnyObject, keeping token: any Defaults.Observation) -> Bool {
    change(to: .tied(Weak(object: owner), token: token))
  }

  /// Makes the observation last as long as its token. Returns false, without effect, if it has
  /// ended.
  func untie() -> Bool { change(to: .token) }

  private func change(to lifetime: Lifetime) -> Bool {
    if isOver { return false }
    // Release the earlier lifetime without the lock, as in `end()`.
    let (earlier, isChanged) = state.withLock { state in
      let earlier = state.lifetime
      if case .over = earlier { return (earlier, false) }
      state.lifetime = lifetime
      return (earlier, true)
    }
    withExtendedLifetime(earlier) {}
    return isChanged
  }

  /// Whether the observation ends with its token.
  var dependsOnToken: Bool {
    state.withLock { if case .token = $0.lifetime { true } else { false } }
  }
}

/// A change or an initial event, and its recipients.
struct Delivery: Sendable {
  var change: Defaults.Change
  var observers: [Observer]
}
