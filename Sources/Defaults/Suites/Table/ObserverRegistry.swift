/// The observers of a suite, by the names that they observe.
struct ObserverRegistry {
  // Each list is in the order of the observers' numbers.
  private var byName: [String: [Observer]] = [:]
  private var ofAll: [Observer] = []
  private var lastNumber: UInt64 = 0
  /// The observers that are tied to owners, some of which may have died.
  private var tied = SweptList<Observer>()
  /// The number of tied observers to examine next time.
  private var due = 0
  /// Whether a thread is ending swept observers.
  private var isEnding = false

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ observer: Observer) {
    due += SweptList<Observer>.pace
    if let names = observer.names {
      for name in names { byName[name, default: []].append(observer) }
    } else {
      ofAll.append(observer)
    }
  }

  mutating func remove(_ observer: Observer) {
    guard let names = observer.names else { return ofAll.remove(observer) }
    for name in names {
      byName[name]?.remove(observer)
      if byName[name]?.isEmpty == true { byName[name] = nil }
    }
    // An empty dictionary would keep its capacity.
    if byName.isEmpty { byName = [:] }
  }

  /// Returns whether an observer of this name or of all names is registered.
  func has(_ name: String) -> Bool { !ofAll.isEmpty || byName[name] != nil }

  /// Returns the observers of a change in the order of their registration.
  func members(for change: Defaults.Change) -> [Observer] {
    if change.entries.count == 1, ofAll.isEmpty, let name = change.entries.keys.first {
      return byName[name] ?? []
    }
    var byNumber: [UInt64: Observer] = [:]
    for observer in ofAll { byNumber[observer.number] = observer }
    for name in change.entries.keys {
      for observer in byName[name] ?? [] { byNumber[observer.number] = observer }
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension [Observer] {
  /// Removes an observer if it is in the list, which is in the order of the numbers.
  fileprivate mutating func remove(_ observer: Observer) {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].number < observer.number { low = middle + 1 } else { high = middle }
    }
    if low < count, self[low] === observer { remove(at: low) }
  }
}

// MARK: - Ties to objects

extension ObserverRegistry {
  /// The result of a sweep. The caller ends the observers and releases the owners without a lock.
  struct Sweep {
    /// The observers whose owners have died. They are no longer registered.
    var dead: [Observer] = []
    /// The living owners, each of which may have no other reference.
    fileprivate var owners: [AnyObject] = []
  }

  mutating func noteTie(of observer: Observer) {
    if !observer.isListed.exchange(true, ordering: .relaxed) { tied.append(observer) }
  }

  /// Examines tied observers, all or as many as are due since the last sweep, and removes those
  /// whose owners have died.
  ///
  /// Does nothing while a thread is ending observers: releasing their captured objects may register
  /// observers, and would otherwise start nested sweeps.
  mutating func sweep(isWhole: Bool = false) -> Sweep {
    var sweep = Sweep()
    if tied.elements.isEmpty { due = 0 }
    guard !isEnding, due > 0 || isWhole else { return sweep }
    let count = isWhole ? tied.elements.count : due
    due = 0
    let removed = tied.sweep(count) { observer in
      let (isTied, owner) = observer.tie
      if let owner { sweep.owners.append(owner) } else if isTied { sweep.dead.append(observer) }
      return owner == nil
    }
    for observer in removed { observer.isListed.store(false, ordering: .relaxed) }
    // The latest first, after which fewer observers move.
    for observer in sweep.dead.reversed() { remove(observer) }
    isEnding = !sweep.dead.isEmpty
    return sweep
  }

  mutating func noteEnd() { isEnding = false }
}
