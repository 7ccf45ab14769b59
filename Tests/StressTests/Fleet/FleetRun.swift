import Defaults
import DefaultsEtcd
import Foundation
import Harness
import Synchronization

/// One run of the fleet campaign.
struct FleetRun {
  let number: Int
  /// The number of increments of each process.
  let count: Int
  let seed: UInt64

  static let processes = 8
  static let counter = "counter"

  struct Outcome {
    /// The number of returned increments, and the counter in the cluster.
    var returned = 0
    var found = 0
    var operations = 0
    var events = 0
    var seconds = 0.0
    /// The thrown and reported errors, by code.
    var errors: [String: Int] = [:]
    var violations: [HistoryViolation] = []
    var problems: [String] = []

    mutating func add(_ other: Self) {
      operations += other.operations
      events += other.events
      seconds += other.seconds
      errors.merge(other.errors, uniquingKeysWith: +)
      violations += other.violations
      problems += other.problems
    }
  }

  /// The codes that failing members may cause.
  private static let acceptable: Set<String> = ["unreachable"]

  /// Timeouts for members that fail constantly.
  static var timing: Defaults.EtcdSuite.Timing {
    var timing = Defaults.EtcdSuite.Timing()
    timing.requestTimeout = .seconds(1)
    timing.heartbeatInterval = .seconds(1)
    // After a timeout, the result of a change is unknown.
    timing.transactionTimeout = .seconds(100)
    timing.setTimeout = .seconds(100)
    timing.maximumBackoff = .milliseconds(500)
    return timing
  }

  private var prefix: String { "fleet-\(number)/" }

  func run(
    on cluster: EtcdCluster, _ nemesis: FleetNemesis, in scratch: Scratch
  ) throws -> Outcome {
    let folder = try scratch.newFolder("fleet")
    defer { scratch.remove(folder) }
    let place = ([prefix] + cluster.troubledEndpoints.map(\.absoluteString)).joined(separator: "\n")
    try place.write(to: Self.place(in: folder), atomically: false, encoding: .utf8)
    let children = try (0..<Self.processes).map { process in
      try Child(
        ChildCommand.arguments(
          "fleet", .defaults, folder, process, count, Int(seed % 1_000_000)), patience: 300)
    }
    var outcome = Outcome()
    for child in children { try hear("ready", of: child, &outcome) }
    let start = MonotonicTime.now
    for child in children { child.send("g") }
    try beset(children, nemesis, &outcome)
    outcome.seconds = MonotonicTime.seconds(since: start)
    for word in ["stored", "written"] {
      for child in children { child.send("g") }
      for child in children { try hear(word, of: child, &outcome) }
    }
    for child in children {
      for line in try child.output.rest() { note(line, &outcome) }
      if child.wait() != .exited(0) { outcome.problems.append("a process ended: \(child.wait())") }
    }
    try judge(cluster, folder, &outcome)
    return outcome
  }

  static func place(in folder: URL) -> URL { folder.appending(path: "place") }

  /// Causes failures until all children are done.
  private func beset(
    _ children: [Child], _ nemesis: FleetNemesis, _ outcome: inout Outcome
  ) throws {
    let problem = Mutex(String?.none)
    let end = DispatchSemaphore(value: 0)
    // This thread uses the nemesis only after the other one has ended.
    nonisolated(unsafe) let nemesis = nemesis
    let over = Mutex(false)
    Thread.detachNewThread {
      while !over.withLock({ $0 }) {
        do { try nemesis.act() } catch {
          problem.withLock { $0 = "the nemesis failed: \(error)" }
          break
        }
      }
      end.signal()
    }
    let result = Result { for child in children { try hear("done", of: child, &outcome) } }
    over.withLock { $0 = true }
    end.wait()
    if let words = problem.withLock({ $0 }) { outcome.problems.append(words) }
    try result.get()
  }

  /// Reads the output of a child until a word.
  private func hear(_ word: String, of child: Child, _ outcome: inout Outcome) throws {
    while let line = try child.output.next() {
      if line == word { return }
      note(line, &outcome)
    }
    throw HarnessError(
      "a process ended before it was \(word): \(child.wait()); \(outcome.problems.suffix(3))")
  }

  private func note(_ line: String, _ outcome: inout Outcome) {
    let words = line.split(separator: " ", maxSplits: 2)
    if words.count == 2, words[0] == "counted", let count = Int(words[1]) {
      outcome.returned += count
      return
    }
    guard words.count == 3, words[0] == "!" || words[0] == "threw" else {
      outcome.problems.append("a process printed: \(line)")
      return
    }
    let code = String(words[1])
    outcome.errors[code, default: 0] += 1
    if !Self.acceptable.contains(code) {
      outcome.problems.append("\(words[0]) \(code): \(words[2])")
    }
  }

  private func judge(
    _ cluster: EtcdCluster, _ folder: URL, _ outcome: inout Outcome
  ) throws {
    var history = History()
    for process in 0..<Self.processes {
      let record = try HistoryRecord(contentsOf: HistoryRun.record(of: process, in: folder))
      history.operations += record.operations
      history.observers += record.observers
      history.views.append(record.view)
    }
    let suite = try Defaults.EtcdSuite(
      endpoints: cluster.endpoints, prefix: prefix, keys: [], timing: Self.timing, onIssue: { _ in }
    )
    try suite.refresh()
    for number in HistorySettings.all {
      let (value, second) = HistorySettings.values(of: number) { suite.entry(named: $0) }
      if value != 0 { history.stored[number] = value }
      if value != second { outcome.problems.append("a torn pair is stored") }
    }
    if case .integer(let found) = suite.entry(named: Self.counter) { outcome.found = Int(found) }
    outcome.operations = history.operations.count
    outcome.events = history.observers.reduce(0) { $0 + $1.events.count }
    outcome.violations = HistoryChecker.violations(in: history)
  }
}

/// One of the processes of the fleet campaign.
struct FleetChild {
  let folder: URL
  let process: Int
  let parent: Parent

  func run(count: Int, seed: UInt64) throws {
    let place = try String(contentsOf: FleetRun.place(in: folder), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let suite = try Defaults.EtcdSuite(
      endpoints: place.dropFirst().compactMap { URL(string: $0) }, prefix: place[0], keys: [],
      cache: folder.appending(path: "cache-\(process).plist"), timing: FleetRun.timing)
    try suite.refresh()
    let history = HistoryChild(suite.storage, process: process, parent: parent)
    try history.run(
      threads: 1, count: count / 2, seed: seed, record: HistoryRun.record(of: process, in: folder),
      beside: { [parent] in
        let key = Defaults.Key(FleetRun.counter, default: 0, suite: suite)
        var done = 0
        while done < count {
          do throws(Defaults.SuiteError) {
            try suite.increment(key)
            done += 1
          } catch {
            parent.tell("threw \(error.code.rawValue) \(error)")
            usleep(10_000)
          }
        }
        parent.tell("counted \(done)")
      })
  }
}
