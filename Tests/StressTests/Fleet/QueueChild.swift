import Defaults
import DefaultsEtcd
import Foundation
import Harness
import Synchronization

/// One of the programs of the queue campaign.
struct QueueChild {
  let folder: URL
  let process: Int
  let parent: Parent

  /// Short timeouts, so that many sets are queued.
  private static var timing: Defaults.EtcdSuite.Timing {
    var timing = Defaults.EtcdSuite.Timing()
    timing.requestTimeout = .milliseconds(250)
    timing.heartbeatInterval = .milliseconds(500)
    timing.setTimeout = .milliseconds(400)
    timing.transactionTimeout = .milliseconds(800)
    timing.maximumBackoff = .milliseconds(200)
    return timing
  }

  func run(port: Int, seed: UInt64) throws {
    let parent = parent
    let suite = try Defaults.EtcdSuite(
      endpoints: [EtcdMember.url(port)], prefix: QueueRun.prefix, keys: [],
      cache: folder.appending(path: "cache-\(process).plist"), options: .queueing,
      timing: Self.timing,
      onIssue: { issue in
        switch issue.code {
        case .tooManyConflicts: parent.tell("conflict \(issue.key ?? "?") \(MonotonicTime.now)")
        case .unreachable: break
        default: parent.tell("! \(issue)")
        }
      })
    let isOver = Flag()
    Thread.detachNewThread {
      parent.awaitStart()
      isOver.raise()
    }
    var random = SeededGenerator(seed: seed)
    // Values increase with each start of the program, and are unique among all programs.
    var value = MonotonicTime.now / QueueRun.processes * QueueRun.processes + process
    while !isOver.isRaised {
      value += QueueRun.processes
      try step(suite, name(&random), value, &random)
      if random.happens(percent: 50) { usleep(UInt32.random(in: 0...20_000, using: &random)) }
    }
    try finish(suite)
  }

  private func name(_ random: inout SeededGenerator) -> String {
    random.happens(percent: 75)
      ? "own-\(process)-\(Int.random(in: 0..<QueueRun.ownSettings, using: &random))"
      : "shared-\(Int.random(in: 0..<QueueRun.sharedSettings, using: &random))"
  }

  /// A set or, rarely, an update, which is never queued.
  private func step(
    _ suite: Defaults.EtcdSuite, _ name: String, _ value: Int, _ random: inout SeededGenerator
  ) throws {
    let key = Defaults.Key(name, default: 0, suite: suite)
    parent.tell("begin \(name) \(value) \(MonotonicTime.now)")
    do throws(Defaults.SuiteError) {
      if random.happens(percent: 15) {
        try update(suite, key, to: value)
      } else {
        try suite.set(value, for: key)
      }
      let isQueued = suite.queuedNames.contains(name)
      parent.tell("end \(name) \(MonotonicTime.now) \(isQueued ? 1 : 0)")
    } catch {
      guard ![.unreachable, .unconfirmed, .tooManyConflicts].contains(error.code) else { return }
      parent.tell("threw \(error)")
    }
  }

  private func update(
    _ suite: Defaults.EtcdSuite, _ key: Defaults.Key<Int>, to value: Int
  ) throws(Defaults.SuiteError) {
    do {
      try suite.update(key) { $0 = value }
    } catch let error as Defaults.SuiteError {
      throw error
    } catch {
      throw Defaults.SuiteError(.unwritable, "\(error)")
    }
  }

  /// Waits until no set is queued.
  private func finish(_ suite: Defaults.EtcdSuite) throws {
    let limit = MonotonicTime.now + 60_000_000_000
    while !suite.queuedNames.isEmpty, MonotonicTime.now < limit { usleep(10_000) }
    if !suite.queuedNames.isEmpty { parent.tell("still queued: \(suite.queuedNames)") }
    while MonotonicTime.now < limit {
      do throws(Defaults.SuiteError) { return try suite.refresh() } catch { usleep(10_000) }
    }
    parent.tell("the cluster doesn't answer at the end")
  }

  private final class Flag: Sendable {
    private let state = Atomic(false)
    var isRaised: Bool { state.load(ordering: .relaxed) }
    func raise() { state.store(true, ordering: .relaxed) }
  }
}
