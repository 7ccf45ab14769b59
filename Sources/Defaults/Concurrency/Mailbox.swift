/// Elements that are handed over one at a time, in the order in which they were put in; copies
/// are the same mailbox.
struct Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var isDelivering = false

    /// All that is waiting; delivery ends when that is nothing.
    mutating func next() -> [Element] {
      isDelivering = !waiting.isEmpty
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Lock(State())

  /// Puts an element in; called under the lock that decides on the order. A thread has to call
  /// ``deliver(_:)`` after releasing that.
  func put(_ element: Element) { state.withLock { $0.waiting.append(element) } }

  /// Hands over all elements, outside of every lock.
  ///
  /// If another thread, or a caller further up on this one, is doing that already, it will hand
  /// over these elements too, and the call returns at once.
  func deliver(_ receive: (Element) -> Void) {
    var batch = state.withLock { $0.isDelivering ? [] : $0.next() }
    while !batch.isEmpty {
      for element in batch { receive(element) }
      batch = state.withLock { $0.next() }
    }
  }
}
