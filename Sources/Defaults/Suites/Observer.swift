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
  private let scope = TaskContext.current.scope
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
    TaskContext.handling(in: scope) { handler(change) }
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

/// Observers in the order of their registration; thousands of them come and go in no time.
///
/// One that is taken out stays in its place until a quarter of them are gone, or somebody asks for
/// the rest: so each costs a search, and now and then all of them one walk.
struct ObserverList {
  /// Sorted by number.
  private var all: [Observer] = []
  /// The numbers of those that were taken out.
  private var removed: Set<UInt64> = []

  var count: Int { all.count - removed.count }

  var isEmpty: Bool { count == 0 }

  /// Adds an observer that isn't in it, usually the latest one.
  mutating func add(_ observer: Observer) {
    guard let last = all.last, last.number > observer.number else { return all.append(observer) }
    settle()
    all.insert(observer, at: position(of: observer.number))
  }

  /// Takes an observer out; returns whether it was there.
  @discardableResult
  mutating func remove(_ observer: Observer) -> Bool {
    let position = position(of: observer.number)
    guard position < all.count, all[position] === observer,
      removed.insert(observer.number).inserted
    else { return false }
    if removed.count >= all.count / 4 { settle() }
    return true
  }

  /// Those that are in it.
  mutating func members() -> [Observer] {
    settle()
    return all
  }

  private mutating func settle() {
    if removed.isEmpty { return }
    all.removeAll { removed.contains($0.number) }
    removed = []
  }

  /// Where an observer of this number is, or would be.
  private func position(of number: UInt64) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
