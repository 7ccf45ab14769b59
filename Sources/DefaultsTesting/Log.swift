import Synchronization

/// A thread-safe list of what a handler received.
package final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package var all: [Element] { elements.withLock { $0 } }
  package var count: Int { all.count }
  package var last: Element? { all.last }

  package func append(_ element: Element) {
    elements.withLock { $0.append(element) }
  }
}
