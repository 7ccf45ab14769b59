/// Elements that are delivered one at a time, in the order of their arrival. Copies share the same
/// mailbox.
struct Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    /// The elements that came before the waiting ones, the first one last.
    private var next: [Element] = []
    var isDelivering = false

    /// Removes and returns the first element. Delivery ends when there is none.
    mutating func takeFirst() -> Element? {
      if next.isEmpty {
        // After a burst, an empty array would keep its capacity.
        if next.capacity > 64 { next = [] }
        swap(&next, &waiting)
        next.reverse()
      }
      isDelivering = !next.isEmpty
      return next.popLast()
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
  ///
  /// - Parameter mayContinue: Called after each element. If it returns false, delivery stops.
  /// - Returns: False if `mayContinue` has stopped the delivery.
  @discardableResult
  func deliver(
    while mayContinue: () -> Bool = { true }, _ receive: (Element) -> Void
  ) -> Bool {
    var first = state.withLock { $0.isDelivering ? nil : $0.takeFirst() }
    while let element = first {
      receive(element)
      if !mayContinue() {
        state.withLock { $0.isDelivering = false }
        return false
      }
      first = state.withLock { $0.takeFirst() }
    }
    return true
  }
}
