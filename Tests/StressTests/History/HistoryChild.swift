import Defaults
import Foundation
import Harness
import Synchronization

/// One of several processes that do everything to the same settings in parallel, and record it.
///
/// It prints `ready`, `done`, `stored` and `written`, and waits for a signal after each of them
/// except the last.
final class HistoryChild: Sendable {
  private let suite: Defaults.StoredSuite
  private let process: Int
  private let parent: Parent
  private let operations = Mutex<[HistoryOperation]>([])
  private let events = Mutex<[Int: [ObservedEvents.Event]]>([:])

  init(_ suite: Defaults.StoredSuite, process: Int, parent: Parent) {
    self.suite = suite
    self.process = process
    self.parent = parent
  }

  /// Runs operations on several threads, and other work at the same time, and writes a record.
  func run(
    threads: Int, count: Int, seed: UInt64, record: URL,
    beside work: (@Sendable () -> Void)? = nil
  ) throws {
    let observers = HistorySettings.all.map(observe)
    parent.tell("ready")
    parent.awaitStart()
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread.detachNewThread { [self] in
        var worker = HistoryWorker(
          suite: suite, process: process, thread: thread,
          random: SeededGenerator(seed: seed, lane: process * threads + thread), parent: parent)
        for _ in 0..<count { worker.work() }
        operations.withLock { $0 += worker.operations }
        group.leave()
      }
    }
    if let work {
      group.enter()
      Thread.detachNewThread {
        work()
        group.leave()
      }
    }
    group.wait()
    parent.tell("done")
    parent.awaitStart()
    try commit()
    parent.tell("stored")
    parent.awaitStart()
    // All processes have stored everything now. This commit reads it.
    try commit()
    try write(record)
    withExtendedLifetime(observers) {}
    parent.tell("written")
  }

  private func observe(_ number: Int) -> any Defaults.Observation {
    let names = HistorySettings.names(of: number)
    return suite.observe(Set(names), options: .initial) { [self] change in
      let old = HistorySettings.values(of: number) { change.entries[$0]?.old }
      let new = HistorySettings.values(of: number) { change.entries[$0]?.new }
      // Half of a pair is torn, whatever its value.
      let isWhole = names.allSatisfy { change.entries[$0] != nil }
      let event = ObservedEvents.Event(
        old: old.value, new: new.value, second: isWhole ? new.second : -1)
      events.withLock { $0[number, default: []].append(event) }
    }
  }

  /// Stores all waiting changes, and reads those of other processes.
  private func commit() throws {
    let key = Defaults.Key<Int>("sync\(process)", default: 0, suite: suite)
    let start = MonotonicTime.now
    while true {
      do {
        try suite.update(key) { count throws(any Error) in count += 1 }
        try suite.flush()
        return
      } catch {
        guard MonotonicTime.seconds(since: start) < 10 else { throw error }
        usleep(1_000)
      }
    }
  }

  private func write(_ url: URL) throws {
    // Another thread may still be notifying observers.
    _ = CallCompany.wait { areToldAll }
    var record = HistoryRecord()
    record.operations = operations.withLock { $0 }
    record.observers = events.withLock { events in
      events.map { ObservedEvents(process: process, key: $0, events: $1) }
    }
    for number in HistorySettings.all { record.view[number] = value(of: number) }
    try record.write(to: url)
  }

  private var areToldAll: Bool {
    HistorySettings.all.allSatisfy { number in
      events.withLock { $0[number]?.last?.new } == value(of: number)
    }
  }

  private func value(of number: Int) -> Int {
    HistorySettings.values(of: number) { suite.entry(named: $0) }.value
  }
}
