/// An unordered list of elements, such as weak references, that become useless without notice.
///
/// The caller sweeps a few elements for each addition, so that all additions take about the same
/// time. With ``pace``, the list never holds more than twice the largest number of elements in use
/// at one time, whenever they become useless.
package struct SweptList<Element> {
  /// The number of elements to sweep per addition. A pass over n elements takes n / 3 additions, so
  /// elements that become useless just after they were examined at most double the list.
  package static var pace: Int { 4 }

  package private(set) var elements: [Element] = []
  /// The position of the next element to examine.
  private var next = 0

  package init() {}
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Examines the next elements in turn and removes useless elements.
  ///
  /// If `isUseless` reads a weak reference under a lock, it may get the last strong reference. It
  /// must then pass the object out, to be released after the lock.
  ///
  /// - Returns: The removed elements, for the caller to release outside of every lock.
  package mutating func sweep(_ count: Int = pace, isUseless: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for _ in 0..<min(count, elements.count) {
      if next >= elements.count { next = 0 }
      if isUseless(elements[next]) {
        elements.swapAt(next, elements.count - 1)
        removed.append(elements.removeLast())
      } else {
        next += 1
      }
    }
    if elements.capacity > 64, elements.count < elements.capacity / 4 {
      // Frees the memory of removed elements. A plain copy of an array would keep its capacity.
      elements = elements.map(\.self)
    }
    return removed
  }
}
