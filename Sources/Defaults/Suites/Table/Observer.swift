import Synchronization

/// A handler registered with a suite: which events it gets, and for how long.
final class Observer: Sendable {
  typealias Handler = Defaults.Handler<Defaults.Change>

  private enum Lifetime {
    /// The token decides.
    case token
    /// An object decides, and the tokens of the observation are kept as long as it does.
    case tied(Weak<AnyObject>, token: any Defaults.Observation)
    case over
  }

  private struct State {
    /// nil when the observation has ended.
    var call: Call?
    var lifetime = Lifetime.token
  }

  /// All that may run the program's code when it is released.
  private struct Call {
    let handler: Handler
    /// What `.standard` was where the observation began; the handler may run anywhere.
    let scope: (any AnyObject & Sendable)?
    /// What waits for the handler's actor; nil if it runs on the thread that delivers.
    let queue: ActorQueue?
  }

  /// Grows in the order of registration, in which handlers are called.
  let number: UInt64
  let wantsPrior: Bool
  /// Whether it gets silent changes, too.
  let wantsSilent: Bool
  /// The names to hear of; nil stands for all.
  let names: Set<String>?
  private let state: Lock<State>
  /// Only read and written under the lock of the suite's observers; atomic for the compiler.
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

  /// Hands the event to the handler, unless the observation is over. Called without any lock.
  /// Returns whether it is over, and the observer is of no use.
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

  /// Hands an event that has waited for the handler's actor to the handler, unless the observation
  /// has ended meanwhile.
  private func receiveOnActor(_ change: Defaults.Change) {
    if let call = present { run(call, change) } else { end() }
  }

  private func run(_ call: Call, _ change: Defaults.Change) {
    TaskContext.handling(in: call.scope) { call.handler.body(change) }
  }

  /// Whether the handler will never be called again.
  var isOver: Bool { present == nil }

  /// What is to be called; nil if the observation is over, or was tied to an object that has died.
  ///
  /// Called without any lock: if everybody else releases the owner meanwhile, it dies here.
  private var present: Call? {
    let (call, isTied, owner) = state.withLock { state -> (Call?, Bool, AnyObject?) in
      guard case .tied(let weak, _) = state.lifetime else { return (state.call, false, nil) }
      return (state.call, true, weak.object)
    }
    defer { withExtendedLifetime(owner) {} }
    return isTied && owner == nil ? nil : call
  }

  /// The position in the list of the suite's tied observers; nil if it isn't there.
  var position: Int? {
    get {
      let position = positionOrNone.load(ordering: .relaxed)
      return position < 0 ? nil : position
    }
    set { positionOrNone.store(newValue ?? -1, ordering: .relaxed) }
  }

  /// What a tie says about the observer.
  enum Tie {
    /// There is no tie, or the observation has ended.
    case none
    /// The object lives. The caller may have the last reference to it, and releases it when no lock
    /// is held.
    case alive(AnyObject)
    /// The object has died.
    case dead
  }

  /// The tie to an object.
  var tie: Tie {
    state.withLock { state in
      guard case .tied(let weak, _) = state.lifetime else { return .none }
      return weak.object.map(Tie.alive) ?? .dead
    }
  }

  /// Whether an object decides on the lifetime, be it dead.
  var isTied: Bool {
    state.withLock { if case .tied = $0.lifetime { true } else { false } }
  }

  func end() {
    // Released without the lock: what the handler captured may run code when it dies, and that may
    // come here again. (A result that is dropped would be released before the lock is free.)
    let ended = state.withLock { state in
      defer { state = State(call: nil, lifetime: .over) }
      return state
    }
    withExtendedLifetime(ended) {}
  }

  /// Has an object decide on the lifetime, and keeps the token; returns false, and does nothing, if
  /// that is over.
  func tie(to owner: AnyObject, keeping token: any Defaults.Observation) -> Bool {
    change(to: .tied(Weak(object: owner), token: token))
  }

  /// Has the token decide on the lifetime; returns false, and does nothing, if that is over.
  func untie() -> Bool { change(to: .token) }

  private func change(to lifetime: Lifetime) -> Bool {
    if isOver { return false }
    // The earlier one is released without the lock, as in `end()`.
    let (earlier, isChanged) = state.withLock { state in
      let earlier = state.lifetime
      if case .over = earlier { return (earlier, false) }
      state.lifetime = lifetime
      return (earlier, true)
    }
    withExtendedLifetime(earlier) {}
    return isChanged
  }

  /// Whether the observation ends when its token goes.
  var dependsOnToken: Bool {
    state.withLock { if case .token = $0.lifetime { true } else { false } }
  }
}

/// A change, or the first event of an observer, and who is to get it.
struct Delivery: Sendable {
  var change: Defaults.Change
  var observers: [Observer]
}
