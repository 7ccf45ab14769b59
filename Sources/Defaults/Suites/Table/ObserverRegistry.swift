/// The observers of a suite, by the names that they observe.
struct ObserverRegistry {
  private var byName: [String: ObserverList] = [:]
  private var ofAll = ObserverList()
  private var lastNumber: UInt64 = 0
  /// The observers that are tied to objects, each of which may have died.
  private var tied = SweptList<Observer>()
  /// The number of tied observers to examine next time.
  private var due = 0
  /// Whether a thread is ending observers that were swept.
  private var isEnding = false

  /// The number of the next observer.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ observer: Observer) {
    due += SweptList<Observer>.pace
    if let names = observer.names {
      for name in names { byName[name, default: ObserverList()].add(observer) }
    } else {
      ofAll.add(observer)
    }
  }

  mutating func remove(_ observer: Observer) {
    if let position = observer.position {
      observer.position = nil
      _ = tied.remove(at: position) { $0.position = $1 }
    }
    guard let names = observer.names else { return _ = ofAll.remove(observer) }
    for name in names {
      byName[name]?.remove(observer)
      if byName[name]?.isEmpty == true { byName[name] = nil }
    }
    // A dictionary keeps the room that it once needed.
    if byName.isEmpty { byName = [:] }
  }

  /// Whether an observer of this name, or of all names, is registered.
  func has(_ name: String) -> Bool { !ofAll.isEmpty || byName[name] != nil }

  /// The observers of a change, in the order of their registration.
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
}

// MARK: - Ties to objects

extension ObserverRegistry {
  /// What a sweep found. The caller ends the observers and releases the objects when no lock is
  /// held.
  struct Sweep {
    /// The observers whose objects have died. They are no longer registered.
    var dead: [Observer] = []
    /// The objects that live: this may be the last reference to one of them.
    fileprivate var owners: [AnyObject] = []
  }

  /// Notes that an observer was tied to an object.
  mutating func noteTie(of observer: Observer) {
    guard observer.position == nil, observer.isTied else { return }
    observer.position = tied.elements.count
    tied.append(observer)
  }

  /// Examines some tied observers, as many as the registrations since the last sweep call for, or
  /// all of them, and removes those whose objects have died.
  ///
  /// Finds nothing while a thread is ending observers: what they captured may register others when
  /// it is released, and would end more observers in turn, one inside the other.
  mutating func sweep(isWhole: Bool = false) -> Sweep {
    var sweep = Sweep()
    if tied.elements.isEmpty { due = 0 }
    guard !isEnding, due > 0 || isWhole else { return sweep }
    let count = isWhole ? tied.elements.count : due
    due = 0
    let removed = tied.sweep(count) { observer in
      switch observer.tie {
      case .none: return true
      case .dead:
        sweep.dead.append(observer)
        return true
      case .alive(let owner):
        sweep.owners.append(owner)
        return false
      }
    } moved: {
      $0.position = $1
    }
    for observer in removed { observer.position = nil }
    for observer in sweep.dead { remove(observer) }
    isEnding = !sweep.dead.isEmpty
    return sweep
  }

  /// Notes that the observers of a sweep have ended.
  mutating func noteEnd() { isEnding = false }
}
