/// Elements that are delivered one at a time, in the order of their arrival. Copies share the same
/// mailbox.
struct Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var isDelivering = false

    /// Removes and returns all waiting elements. Delivery ends when there are none.
    mutating func next() -> [Element] {
      isDelivering = !waiting.isEmpty
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Lock(State())

  /// Adds an element. Call this under the lock that determines the order, and ``deliver(_:)`` after
  /// releasing that lock.
  func put(_ element: Element) { state.withLock { $0.waiting.append(element) } }

  /// Delivers all elements, outside of every lock.
  ///
  /// Returns at once if another thread, or a caller further up the stack, is already delivering.
  /// That thread or caller then also delivers these elements.
  func deliver(_ receive: (Element) -> Void) {
    var batch = state.withLock { $0.isDelivering ? [] : $0.next() }
    while !batch.isEmpty {
      for element in batch { receive(element) }
      batch = state.withLock { $0.next() }
    }
  }
}
