/// Observers in the order of their registration, optimized for thousands of additions and removals.
///
/// A removed observer keeps its position until a quarter of the list is removed or the members are
/// requested. So a removal costs a binary search and, now and then, a pass over the list.
struct ObserverList {
  /// Sorted by number.
  private var all: [Observer] = []
  /// The numbers of removed observers that are still in the list.
  private var removed: Set<UInt64> = []

  var count: Int { all.count - removed.count }

  var isEmpty: Bool { count == 0 }

  /// Adds the latest observer.
  mutating func add(_ observer: Observer) { all.append(observer) }

  /// Removes an observer if it is in the list.
  mutating func remove(_ observer: Observer) {
    let position = position(of: observer.number)
    guard position < all.count, all[position] === observer,
      removed.insert(observer.number).inserted
    else { return }
    if removed.count >= all.count / 4 { compact() }
  }

  mutating func members() -> [Observer] {
    compact()
    return all
  }

  private mutating func compact() {
    if removed.isEmpty { return }
    all.removeAll { removed.contains($0.number) }
    removed = []
  }

  /// Returns the position of the observer with a number, or of the next one.
  private func position(of number: UInt64) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
