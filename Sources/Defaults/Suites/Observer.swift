/// A handler registered with a suite: what it wants to hear, and for how long.
final class Observer: Sendable {
  typealias Handler = Defaults.Handler<Defaults.Change>

  private enum Lifetime {
    /// The token decides.
    case token
    /// An object decides.
    case tied(Weak<AnyObject>)
    case over
  }

  private struct State {
    /// nil when the observation has ended.
    var call: Call?
    var lifetime = Lifetime.token
  }

  /// All that may run somebody's code when it is released.
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
  /// Whether it is told of silent changes, too.
  let wantsSilent: Bool
  /// The names to hear of; nil stands for all.
  let names: Set<String>?
  private let state: Lock<State>

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
      guard case .tied(let weak) = state.lifetime else { return (state.call, false, nil) }
      return (state.call, true, weak.object)
    }
    defer { withExtendedLifetime(owner) {} }
    return isTied && owner == nil ? nil : call
  }

  func end() {
    // Released without the lock: what the handler captured may run code when it dies, and that may
    // come here again. (A result that is dropped would be released before the lock is free.)
    let call = state.withLock { state in
      state.lifetime = .over
      defer { state.call = nil }
      return state.call
    }
    withExtendedLifetime(call) {}
  }

  func tie(to owner: AnyObject) {
    if isOver { return end() }
    state.withLock { state in
      if case .over = state.lifetime { return }
      state.lifetime = .tied(Weak(object: owner))
    }
  }

  func untie() {
    if isOver { return end() }
    state.withLock { state in
      if case .tied = state.lifetime { state.lifetime = .token }
    }
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

/// Observers in the order of their registration, made for thousands that come and go.
///
/// An observer that is removed keeps its place until a quarter of the list is removed, or somebody
/// asks for the members: a removal costs a binary search, and now and then a pass over the list.
struct ObserverList {
  /// Sorted by number.
  private var all: [Observer] = []
  /// The numbers of observers that were removed and still have their place.
  private var removed: Set<UInt64> = []

  var count: Int { all.count - removed.count }

  var isEmpty: Bool { count == 0 }

  /// Adds an observer that isn't in the list, usually the latest one.
  mutating func add(_ observer: Observer) {
    guard let last = all.last, last.number > observer.number else { return all.append(observer) }
    compact()
    all.insert(observer, at: position(of: observer.number))
  }

  /// Removes an observer; returns whether it was in the list.
  @discardableResult
  mutating func remove(_ observer: Observer) -> Bool {
    let position = position(of: observer.number)
    guard position < all.count, all[position] === observer,
      removed.insert(observer.number).inserted
    else { return false }
    if removed.count >= all.count / 4 { compact() }
    return true
  }

  /// All observers that weren't removed.
  mutating func members() -> [Observer] {
    compact()
    return all
  }

  private mutating func compact() {
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

/// The observers of a suite, by the names that they observe.
struct ObserverRegistry {
  private var byName: [String: ObserverList] = [:]
  private var ofAll = ObserverList()
  /// How many observers are registered; each counts once for each of its names.
  private(set) var registrations = 0
  /// How many registrations make it worthwhile to look for observers whose owners have died.
  private var sweepAt = 64
  private var lastNumber: UInt64 = 0

  var isSweepDue: Bool { registrations >= sweepAt }

  /// The number of the next observer.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ observer: Observer) {
    if let names = observer.names {
      for name in names { byName[name, default: ObserverList()].add(observer) }
      registrations += names.count
    } else {
      ofAll.add(observer)
      registrations += 1
    }
  }

  mutating func remove(_ observer: Observer) {
    guard let names = observer.names else {
      if ofAll.remove(observer) { registrations -= 1 }
      return
    }
    for name in names {
      if byName[name]?.remove(observer) == true { registrations -= 1 }
      if byName[name]?.isEmpty == true { byName[name] = nil }
    }
  }

  /// Whether somebody observes this name, or all names.
  func has(_ name: String) -> Bool { !ofAll.isEmpty || byName[name] != nil }

  /// Who is to hear of a change, in the order of their registration.
  mutating func members(for change: Defaults.Change) -> [Observer] {
    if change.entries.count == 1, ofAll.isEmpty, let name = change.entries.keys.first {
      return byName[name]?.members() ?? []
    }
    var byNumber: [UInt64: Observer] = [:]
    for observer in ofAll.members() { byNumber[observer.number] = observer }
    for name in change.entries.keys {
      for observer in byName[name]?.members() ?? [] { byNumber[observer.number] = observer }
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }

  /// All observers, some of them several times, to look for those whose owners have died; that is
  /// due again when there are twice as many.
  mutating func sweep() -> [Observer] {
    sweepAt = max(64, 2 * registrations)
    var observers = ofAll.members()
    for name in Array(byName.keys) { observers += byName[name]?.members() ?? [] }
    return observers
  }
}
