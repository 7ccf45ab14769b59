import Defaults
import DefaultsEtcd
import Foundation
import Harness
import Synchronization

/// 200 suites in four processes watch a cluster while it changes. Each of them must receive each
/// change once. Their delays are compared with those of `etcdctl watch`.
struct WatchCampaign: Campaign {
  let name = "watch"
  let scratch: Scratch

  private static let processes = 4
  static let suites = 50
  private static let changes = 500
  static let prefix = "watch/"
  static let key = "time"

  /// Whether the suites of a process share one watch, as suites with the same parameters do.
  private enum Kind: Int, CaseIterable {
    case alike = 0
    case apart = 1

    var words: String {
      switch self {
      case .alike: "opened alike"
      case .apart: "each with a watch of its own"
      }
    }
  }

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    guard EtcdMember.isInstalled, let client = EtcdMember.client else {
      return [
        Row(
          name: name, what: "suites that watch a cluster", times: 0, lost: 0,
          figures: ["etcd isn't installed (Debian: etcd-server, etcd-client)"])
      ]
    }
    return try Kind.allCases.map { kind in
      try row(kind, scale.count(Self.changes, atLeast: 20), client)
    }
  }

  private func row(_ kind: Kind, _ count: Int, _ client: String) throws -> Row {
    let folder = try scratch.newFolder(name)
    defer { scratch.remove(folder) }
    let cluster = try EtcdCluster()
    let endpoint = cluster.endpoints[0].absoluteString
    try endpoint.write(to: FleetRun.place(in: folder), atomically: false, encoding: .utf8)
    let children = try (0..<Self.processes).map { process in
      try Child(
        ChildCommand.arguments("watch", .defaults, folder, process, kind.rawValue), patience: 120)
    }
    var failures: [String] = []
    for child in children {
      while let line = try child.output.next(), line != "ready" { failures.append(line) }
    }
    let reference = try Reference(client, endpoint, Self.prefix + Self.key)
    let sent = try send(count, to: cluster, after: reference)
    for child in children {
      failures += try child.output.rest()
      if child.wait() != .exited(0) { failures.append("a process ended: \(child.wait())") }
    }
    var times: [Int] = []
    var lost = 0
    for process in 0..<Self.processes {
      for told in try Self.read(process, in: folder) {
        // Each change once, in order.
        lost += abs(told.count - sent.count)
        if told.map(\.value) != sent { failures.append("a suite received other changes") }
        times += told.map { $0.time - $0.value }
      }
    }
    let others = reference.finish().map { $0.time - $0.value }
    if others.count != sent.count { failures.append("etcdctl received \(others.count) changes") }
    return Row(
      name: name,
      what: "\(Self.processes * Self.suites) suites in \(Self.processes) processes, \(kind.words)",
      times: Self.processes * Self.suites * sent.count, lost: lost,
      figures: [
        "from put to handler: \(Self.figures(times))", "etcdctl watch: \(Self.figures(others))",
      ], failures: failures)
  }

  private static func figures(_ times: [Int]) -> String {
    guard !times.isEmpty else { return "nothing" }
    let sorted = times.sorted()
    func milliseconds(_ part: Double) -> String {
      String(format: "%.2f ms", Double(sorted[Int(Double(sorted.count - 1) * part)]) / 1e6)
    }
    return "median \(milliseconds(0.5)), p99 \(milliseconds(0.99))"
  }

  /// Sets the current time repeatedly, with pauses, and then 0. Returns the times.
  private func send(
    _ count: Int, to cluster: EtcdCluster, after reference: Reference
  ) throws -> [Int] {
    let suite = try Defaults.EtcdSuite(endpoints: cluster.endpoints, prefix: Self.prefix, keys: [])
    try suite.refresh()
    let key = Defaults.Key(Self.key, default: -1, suite: suite)
    var sent: [Int] = []
    // Waits until `etcdctl` watches. These changes don't count.
    var number = 0
    while !reference.hasBegun {
      number -= 1
      try suite.set(number, for: key)
    }
    for _ in 0..<count {
      let now = MonotonicTime.now
      try suite.set(now, for: key)
      sent.append(now)
      usleep(40_000)
    }
    try suite.set(0, for: key)
    return sent
  }

  /// A change that a suite received, and its time.
  struct Told: Sendable {
    let value: Int
    let time: Int
  }

  static func file(of process: Int, in folder: URL) -> URL {
    folder.appending(path: "told-\(process)")
  }

  private static func read(_ process: Int, in folder: URL) throws -> [[Told]] {
    let data = try Data(contentsOf: file(of: process, in: folder))
    var numbers = data.withUnsafeBytes { Array($0.bindMemory(to: Int.self)) }[...]
    var all: [[Told]] = []
    while let count = numbers.popFirst() {
      let pairs = numbers.prefix(2 * count)
      numbers = numbers.dropFirst(2 * count)
      all.append(
        stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).map {
          Told(value: pairs[$0], time: pairs[$0 + 1])
        })
    }
    return all
  }

  /// `etcdctl watch`, and the times of its output.
  private final class Reference {
    private final class Printed: Sendable {
      let told = Mutex<[Told]>([])
      let end = DispatchSemaphore(value: 0)
      let hasBegun = Atomic(false)
    }

    private let child: Child
    private let printed = Printed()

    init(_ client: String, _ endpoint: String, _ key: String) throws {
      child = try Child(
        ["--endpoints", endpoint, "watch", key], executable: client,
        environment: ["ETCDCTL_API": "3"], patience: 600)
      // From now on, only the thread uses the reader.
      nonisolated(unsafe) let output = child.output
      Thread.detachNewThread { [printed] in
        while let line = try? output.next() {
          guard let value = Int(line) else { continue }
          if value < 0 { printed.hasBegun.store(true, ordering: .relaxed) }
          if value < 0 { continue }
          if value == 0 { break }
          let time = MonotonicTime.now
          printed.told.withLock { $0.append(Told(value: value, time: time)) }
        }
        printed.end.signal()
      }
    }

    var hasBegun: Bool { printed.hasBegun.load(ordering: .relaxed) }

    func finish() -> [Told] {
      _ = printed.end.wait(timeout: .now() + 60)
      child.kill()
      return printed.told.withLock { $0 }
    }
  }
}

/// One of the processes of the watch campaign.
struct WatchChild {
  let folder: URL
  let process: Int
  let parent: Parent

  func run(apart: Bool) throws {
    let place = try String(contentsOf: FleetRun.place(in: folder), encoding: .utf8)
    let endpoints = [URL(string: place)].compactMap(\.self)
    let logs = (0..<WatchCampaign.suites).map { _ in Log() }
    let group = DispatchGroup()
    var held: [(Defaults.EtcdSuite, any Defaults.Observation)] = []
    for (number, log) in logs.enumerated() {
      let suite =
        try apart
        ? Defaults.EtcdSuite(alone: number, endpoints: endpoints, prefix: WatchCampaign.prefix)
        : Defaults.EtcdSuite(endpoints: endpoints, prefix: WatchCampaign.prefix, keys: [])
      try suite.refresh()
      group.enter()
      let observation = suite.observe([WatchCampaign.key]) { change in
        let time = MonotonicTime.now
        guard case .integer(let value) = change.entries[WatchCampaign.key]?.new else { return }
        if value == 0 { return group.leave() }
        if value < 0 { return }
        log.told.withLock { $0.append(WatchCampaign.Told(value: Int(value), time: time)) }
      }
      held.append((suite, observation))
    }
    parent.tell("ready")
    if group.wait(timeout: .now() + 110) == .timedOut {
      parent.tell("a suite didn't receive the last change")
    }
    var numbers: [Int] = []
    for log in logs {
      let told = log.told.withLock { $0 }
      numbers.append(told.count)
      for one in told { numbers += [one.value, one.time] }
    }
    try numbers.withUnsafeBytes {
      try Data($0).write(to: WatchCampaign.file(of: process, in: folder))
    }
    withExtendedLifetime(held) {}
  }

  private final class Log: Sendable {
    let told = Mutex<[WatchCampaign.Told]>([])
  }
}
