/// Elements that become useless without notice, such as weak references, in no order.
///
/// The caller sweeps a few elements for each one that it adds, so that no addition takes longer than
/// another. With ``pace`` of them the list never holds more than twice the elements that were in use
/// at one time, whenever these become useless.
package struct SweptList<Element> {
  /// The number of elements to sweep for each one that is added.
  ///
  /// A pass over n elements takes n / 3 additions then. If each element becomes useless just after it
  /// was examined, the next pass still begins with 1.5 times the elements in use, and doubles those
  /// at most.
  package static var pace: Int { 4 }

  package private(set) var elements: [Element] = []
  /// The position of the element that is examined next.
  private var next = 0

  /// An empty list.
  package init() {}

  /// Adds an element; its position is the last one.
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Examines the next elements in turn, and removes those that are useless.
  ///
  /// A test that reads a weak reference under a lock may get the last reference to the object. It
  /// passes that out, so that the object is released when the lock is free.
  ///
  /// - Returns: The removed elements, for a caller that releases them when no lock is held.
  package mutating func sweep(
    _ count: Int = pace, isUseless: (Element) -> Bool,
    moved: (_ element: Element, _ position: Int) -> Void = { _, _ in }
  ) -> [Element] {
    var removed: [Element] = []
    for _ in 0..<min(count, elements.count) {
      if next >= elements.count { next = 0 }
      if isUseless(elements[next]) {
        removed.append(remove(at: next, moved: moved))
      } else {
        next += 1
      }
    }
    return removed
  }

  /// Removes the element at a position, which the last element takes.
  package mutating func remove(
    at position: Int, moved: (_ element: Element, _ position: Int) -> Void = { _, _ in }
  ) -> Element {
    let last = elements.removeLast()
    defer { if elements.capacity > 64, elements.count < elements.capacity / 4 { shrink() } }
    guard position < elements.count else { return last }
    let removed = elements[position]
    elements[position] = last
    moved(last, position)
    return removed
  }

  /// Returns the memory of elements that were removed. A copy of an array has its capacity.
  private mutating func shrink() { elements = elements.map(\.self) }
}
