import Defaults
import Foundation
import Harness
import Synchronization

/// The second process for a child, run by this process, which constantly changes the same file.
final class CallCompany: Sendable {
  struct Work: Sendable {
    var rounds: Int64 = 0
    var count = 0
    var problems: [String] = []
  }

  private let file: URL
  private let isOver = Atomic(false)
  private let end = DispatchSemaphore(value: 0)
  private let work = Mutex(Work())

  private static let names = ["company.x", "company.y"]

  init(at file: URL) {
    self.file = file
    Thread.detachNewThread { [self] in
      run()
      end.signal()
    }
  }

  /// Ends the work, and returns what was done.
  func finish() -> Work {
    isOver.store(true, ordering: .relaxed)
    end.wait()
    return work.withLock { $0 }
  }

  /// The number of its entries that differ from its last state.
  static func wrong(in entries: CallScenario.Entries, after work: Work) -> Int {
    (names + ["company.number"]).count { entries[$0] != .integer(work.rounds) }
  }

  private func run() {
    weak var storage: Defaults.StoredSuite?
    do {
      let suite = try Defaults.PropertyListSuite(
        url: file,
        onIssue: { issue in
          self.work.withLock { $0.problems.append("Issue of the second process: \(issue)") }
        })
      storage = suite.storage
      repeat {
        try round(suite)
        usleep(300)
      } while !isOver.load(ordering: .relaxed)
      try suite.flush(.snapshot)
    } catch {
      work.withLock { $0.problems.append("The second process failed: \(error)") }
    }
    if !Self.wait(until: { storage == nil }) {
      work.withLock { $0.problems.append("The second process doesn't end") }
    }
  }

  private func round(_ suite: Defaults.PropertyListSuite) throws {
    let number = work.withLock { $0.rounds + 1 }
    suite.write(.set(.integer(number)), named: "company.number")
    let counter = Defaults.Key<Int>(CallScenario.counter, default: 0, suite: suite)
    try suite.update(counter) { count throws(any Error) in count += 1 }
    work.withLock { $0.count += 1 }
    try suite.transaction { draft throws(any Error) in
      for name in Self.names { try draft.setEntry(.integer(number), named: name) }
    }
    work.withLock { $0.rounds = number }
    if number % 5 == 0 { try suite.flush(.snapshot) }
  }

  /// Waits for a condition that should hold soon; false if it doesn't.
  static func wait(until isTrue: () -> Bool) -> Bool {
    let start = MonotonicTime.now
    while !isTrue() {
      guard MonotonicTime.seconds(since: start) < 10 else { return false }
      usleep(200)
    }
    return true
  }
}
