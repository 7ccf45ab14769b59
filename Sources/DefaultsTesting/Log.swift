import Synchronization

/// A thread-safe list of what a handler received.
package final class Log<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiting: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var all: [Element] { state.withLock { $0.elements } }
  package var count: Int { all.count }
  package var last: Element? { all.last }

  package func append(_ element: Element) {
    state.withLock { state in
      state.elements.append(element)
      state.waiting.removeAll { waiting in
        // The wait has ended.
        if case .terminated = waiting.yield() { true } else { false }
      }
    }
  }

  /// Returns when the elements satisfy a condition, or when the task is canceled.
  package func wait(until isMet: ([Element]) -> Bool) async {
    let (news, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.waiting.append(continuation) }
    if isMet(all) { return }
    for await _ in news where isMet(all) { return }
  }
}
