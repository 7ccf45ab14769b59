/// The observers of a suite, by the names that they observe.
struct ObserverRegistry {
  // Each list is in the order of the observers' numbers.
  private var byName: [String: [Observer]] = [:]
  private var ofAll: [Observer] = []
  private var lastNumber: UInt64 = 0

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ observer: Observer) {
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

  /// All observers. One with several names may be there several times.
  var all: [Observer] { ofAll + byName.values.joined() }

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
