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
