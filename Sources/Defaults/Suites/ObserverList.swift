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
