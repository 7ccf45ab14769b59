import Synchronization

/// Work that threads of the library do one piece after the other, at once or later.
///
/// All lanes of a process share a few threads, which are there only while there is something to do,
/// so that a thousand suites cost no thousand threads. Two pieces of one lane never run at the same
/// time, and begin in the order in which they are due; those of different lanes don't wait for each
/// other. In a forked child, what the parent was about to do is dropped, and the first new piece
/// finds threads of the child's own.
struct BackgroundLane: Sendable {
  private static let count = Atomic<UInt64>(0)

  let number: UInt64
  private let threads: BackgroundThreads

  init(on threads: BackgroundThreads = .shared) {
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    self.threads = threads
  }

  /// Does something after so many seconds. What the body holds is held until then.
  func perform(after seconds: Double = 0, _ body: @escaping @Sendable () -> Void) {
    threads.add(body, lane: number, after: seconds)
  }
}
