import Defaults
import DefaultsEtcd
import Foundation
import Harness
import TestSupport
import Testing

/// The shared etcd server of all tests that don't disturb it; each test has its own prefix.
enum Fleet {
  /// Started by the first test that needs it and killed with the process. Safe in fact: tests use
  /// only its addresses and `etcdctl`, which change nothing.
  nonisolated(unsafe) private static let shared = Result { try EtcdCluster() }

  static var cluster: EtcdCluster { get throws { try shared.get() } }

  /// A cluster of its own for a test that disturbs it.
  ///
  /// At most three exist at a time: a small machine can't start dozens of servers together.
  static func ownCluster(members: Int = 1) async throws -> EtcdCluster {
    try EtcdCluster(members: members, permit: await permits.take())
  }

  private static let permits = Permits(count: 3)

  /// A prefix that no other test has.
  static func prefix() -> String { "test-\(UUID().uuidString)/" }

  /// The time that a suite may take on a machine that is busy with other tests.
  static let patience = Duration.seconds(240)

  /// Timing for a busy machine.
  static var timing: Defaults.EtcdSuite.Timing {
    var timing = Defaults.EtcdSuite.Timing()
    timing.requestTimeout = .seconds(20)
    timing.setTimeout = patience
    timing.transactionTimeout = patience
    timing.heartbeatInterval = .seconds(20)
    timing.maximumBackoff = .milliseconds(200)
    return timing
  }

  /// A member is abandoned only when its connections end, however busy the machine is.
  static var patientTiming: Defaults.EtcdSuite.Timing {
    var timing = timing
    timing.requestTimeout = patience
    return timing
  }

  /// Timing for a cluster whose members fail.
  static var hastyTiming: Defaults.EtcdSuite.Timing {
    var timing = timing
    timing.requestTimeout = .seconds(2)
    timing.heartbeatInterval = .seconds(1)
    return timing
  }

  /// A suite of the shared cluster that shows the cluster's entries.
  static func suite(
    _ prefix: String = prefix(), cache: URL? = nil, options: Defaults.EtcdSuite.Options = [],
    encoding: Defaults.EtcdSuite.ValueEncoding = .json, keys: [Defaults.AnyKey] = [],
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) async throws -> Defaults.EtcdSuite {
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.endpoints, prefix: prefix, keys: keys, cache: cache, options: options,
      encoding: encoding, timing: timing, onIssue: onIssue)
    try await suite.ready(within: patience)
    return suite
  }

  /// An address without a server.
  static func deadEndpoint() throws -> URL { EtcdMember.url(try LoopbackPort.free(1)[0]) }
}

/// Limits how many objects exist at the same time.
private actor Permits {
  /// One of the permits. Its release lets the next caller continue.
  final class Permit: Sendable {
    private let permits: Permits

    init(of permits: Permits) { self.permits = permits }

    deinit { Task { [permits] in await permits.giveBack() } }
  }

  private var count: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { self.count = count }

  func take() async -> Permit {
    if count > 0 {
      count -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    return Permit(of: self)
  }

  private func giveBack() {
    if waiting.isEmpty { count += 1 } else { waiting.removeFirst().resume() }
  }
}

extension Trait where Self == ConditionTrait {
  /// Only where etcd is installed: Debian's `etcd-server` and `etcd-client`.
  static var needsEtcd: Self {
    .enabled(
      if: EtcdMember.isInstalled && EtcdMember.client != nil,
      "etcd isn't installed (Debian: etcd-server, etcd-client)")
  }
}

extension Defaults.EtcdSuite {
  /// Performs an operation, again while it throws `unreachable`: a member may be stopped or, on a
  /// busy machine, late.
  func performPatiently<Result: Sendable>(
    _ body: @escaping @Sendable (Defaults.EtcdSuite) throws -> Result
  ) async throws -> Result {
    try await perform { suite in
      while true {
        do {
          return try body(suite)
        } catch let error as Defaults.SuiteError where error.code == .unreachable {}
      }
    }
  }
}

extension Defaults.Suite {
  /// Returns when a key has this value.
  func awaitValue<Value: Equatable & Sendable>(_ value: Value, of key: Defaults.Key<Value>) async {
    for await present in Defaults.updates(key, initial: true) where present == value { return }
  }

  /// Returns when an entry satisfies the condition.
  func awaitEntry(
    named name: String, _ isWanted: @escaping @Sendable (Defaults.PropertyListValue?) -> Bool
  ) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let observation = observe([name], options: .initial) { change in
      if let entry = change.entries[name], isWanted(entry.new) { continuation.yield() }
    }
    for await _ in stream { break }
    observation.invalidate()
  }
}
