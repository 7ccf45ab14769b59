/// A handler registered with a suite: what it wants to hear, and for how long.
final class Observer: Sendable {
  typealias Handler = @Sendable (Defaults.Change) -> Void

  private enum Lifetime {
    /// The token decides.
    case token
    /// An object decides.
    case tied(Weak)
    case over
  }

  private struct Weak {
    weak var owner: AnyObject?
  }

  private struct State {
    var handler: Handler?
    var lifetime = Lifetime.token
  }

  /// Rises in the order of registration, in which handlers are called.
  let number: UInt64
  let wantsPrior: Bool
  /// Whether it puts entries together from changes, which silent ones belong to, too.
  let wantsSilent: Bool
  /// The names to hear of; nil stands for all.
  let names: Set<String>?
  /// What `.standard` was where the observation began; the handler may run anywhere.
  private let scope = SuiteScope.current
  private let state: Lock<State>

  init(
    number: UInt64, names: Set<String>?, options: Defaults.ObservationOptions,
    handler: @escaping Handler
  ) {
    self.number = number
    wantsPrior = options.contains(.prior)
    wantsSilent = options.contains(.silent)
    self.names = names
    state = Lock(State(handler: handler))
  }

  /// Hands the event to the handler, unless the observation is over. Called without any lock.
  /// Returns whether it turned out that the owner had died.
  @discardableResult
  func receive(_ change: Defaults.Change) -> Bool {
    if hasOutlivedOwner {
      end()
      return true
    }
    guard let handler = state.withLock({ $0.handler }) else { return false }
    let change = change.restricted(to: names)
    if SuiteScope.hasBeenUsed {
      SuiteScope.run(in: scope) { handler(change) }
    } else {
      handler(change)
    }
    return false
  }

  /// Whether it was tied to an object that has died.
  ///
  /// Asked without any lock: if the owner is let go of meanwhile, it dies here.
  var hasOutlivedOwner: Bool {
    let (isTied, owner) = state.withLock { state -> (Bool, AnyObject?) in
      if case .tied(let weak) = state.lifetime { (true, weak.owner) } else { (false, nil) }
    }
    return isTied && owner == nil
  }

  func end() {
    // The handler is released outside the lock: what it captured may run code when it dies.
    _ = state.withLock { state in
      state.lifetime = .over
      defer { state.handler = nil }
      return state.handler
    }
  }

  func tie(to owner: AnyObject) {
    if hasOutlivedOwner { return end() }
    state.withLock { state in
      if case .over = state.lifetime { return }
      state.lifetime = .tied(Weak(owner: owner))
    }
  }

  func untie() {
    if hasOutlivedOwner { return end() }
    state.withLock { state in
      if case .tied = state.lifetime { state.lifetime = .token }
    }
  }

  /// Whether the observation ends when its token goes.
  var dependsOnToken: Bool {
    state.withLock { if case .token = $0.lifetime { true } else { false } }
  }
}
