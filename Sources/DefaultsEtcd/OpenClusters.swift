import Defaults
import Foundation

/// The parameters that identify a suite.
struct Place: Hashable, Sendable {
  let endpoints: [URL]
  let prefix: String
  let cache: URL?
  let user: Defaults.EtcdSuite.User?
  let tls: Defaults.EtcdSuite.TLS
  let options: Defaults.EtcdSuite.Options
  let encoding: Defaults.EtcdSuite.ValueEncoding
  /// Separates suites of the same place, for tests.
  var number = 0

  /// The suite's label in errors and issues.
  var label: String {
    "etcd \(prefix) at \(endpoints.map(Gateway.name).joined(separator: ", "))"
  }
}

struct OpenCluster {
  let storage: Defaults.StoredSuite
  let upcoming: Defaults.StoredSuite
  let replica: Replica
}

/// The suites that are open in this process, so that opening one again returns the same suite.
enum OpenClusters {
  private struct Entry {
    let place: Place
    weak var storage: Defaults.StoredSuite?
    weak var upcoming: Defaults.StoredSuite?
    weak var replica: Replica?

    var cluster: OpenCluster? {
      guard let storage, let upcoming, let replica else { return nil }
      return OpenCluster(storage: storage, upcoming: upcoming, replica: replica)
    }
  }

  private static let entries = Lock(SweptList<Entry>())

  static func open(
    _ place: Place, _ timing: Defaults.EtcdSuite.Timing, keys: [Defaults.AnyKey],
    onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) -> OpenCluster {
    try check(place)
    // Released by the caller, since releasing a suite may close it.
    var held: OpenCluster?
    defer { withExtendedLifetime(held) {} }
    held = entries.withLock { present(place, in: $0) }
    if let held {
      held.replica.add(keys)
      return held
    }
    try SuiteError.checkProcess(of: place.label)
    let new = try make(place, timing, keys: keys, onIssue: onIssue)
    let (opened, isNew, others) = entries.withLock { entries in
      if let earlier = present(place, in: entries) { return (earlier, false, []) }
      var others: [OpenCluster] = []
      _ = entries.sweep { entry in
        // An entry without all of its parts is never returned.
        guard let cluster = entry.cluster else { return true }
        others.append(cluster)
        return false
      }
      entries.append(
        Entry(place: place, storage: new.storage, upcoming: new.upcoming, replica: new.replica))
      return (new, true, others)
    }
    withExtendedLifetime(others) {}
    held = opened
    if isNew { Synchronizer.start(new.replica) } else { opened.replica.add(keys) }
    return opened
  }

  private static func present(_ place: Place, in entries: SweptList<Entry>) -> OpenCluster? {
    for entry in entries.elements where entry.place == place {
      if let cluster = entry.cluster { return cluster }
    }
    return nil
  }

  private static func check(_ place: Place) throws(SuiteError) {
    guard !place.prefix.isEmpty else {
      throw SuiteError(
        .noLocation,
        "The prefix is empty, so all keys of the cluster would be settings; use a prefix "
          + "such as \"app/\"")
    }
    guard !place.endpoints.isEmpty else {
      throw SuiteError(
        .noLocation, "There are no endpoints; provide the client URLs of the cluster's members")
    }
    for endpoint in place.endpoints {
      guard ["http", "https"].contains(endpoint.scheme), endpoint.host() != nil else {
        throw SuiteError(
          .noLocation,
          "\(shown(endpoint)) isn't a client URL; use one such as http://10.0.0.1:2379")
      }
    }
  }

  /// The text of an invalid endpoint without its user and password.
  private static func shown(_ endpoint: URL) -> String {
    let text = endpoint.absoluteString
    guard let end = text.lastIndex(of: "@") else { return text }
    let scheme = endpoint.scheme.map { "\($0)://" } ?? ""
    return (text.hasPrefix(scheme) ? scheme : "") + text[text.index(after: end)...]
  }

  private static func make(
    _ place: Place, _ timing: Defaults.EtcdSuite.Timing, keys: [Defaults.AnyKey],
    onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) -> OpenCluster {
    let cache = try place.cache.map { url throws(SuiteError) in
      try Cache(url, prefix: place.prefix, onIssue: onIssue)
    }
    let settings = Replica.Settings(
      encoding: place.encoding, timing: timing, isQueueing: place.options.contains(.queueing))
    let support = Defaults.SuiteSupport(label: place.label, onIssue: onIssue)
    let gateway = Gateway(place.endpoints, user: place.user, by: place.tls.transport) {
      [weak support] isOpen in
      let problem = SuiteError.withoutAuthentication
      support?.reportLater(isOpen ? [problem] : [], insteadOf: isOpen ? [] : [problem])
    }
    let replica = Replica(
      gateway, KeySpace(prefix: place.prefix), settings, cache, keys: keys, support)
    let upcoming = Defaults.StoredSuite(replica.table, replica)
    guard place.options.contains(.stableUntilRestart) else {
      return OpenCluster(storage: upcoming, upcoming: upcoming, replica: replica)
    }
    let isFixed = replica.known.withLock { $0.cluster != nil }
    let storage = try EntriesOfStart.suite(
      on: upcoming, replica, isFixed: isFixed,
      Defaults.SuiteSupport(label: place.label, redactingLike: [support], onIssue: onIssue))
    return OpenCluster(storage: storage, upcoming: upcoming, replica: replica)
  }
}

extension SuiteError {
  fileprivate static let withoutAuthentication = Self(
    .withoutAuthentication,
    "The user and password aren't used, because the cluster has no authentication. "
      + "Enable it with `etcdctl auth enable`, or open the suite without a user")
}

extension Defaults.EtcdSuite {
  /// Creates a suite that shares its state only with suites of the same number, for tests.
  package convenience init(
    alone number: Int, endpoints: [URL], prefix: String, timing: Timing = Timing()
  ) throws(SuiteError) {
    let place = Place(
      endpoints: endpoints, prefix: prefix, cache: nil, user: nil, tls: TLS(), options: [],
      encoding: .json, number: number)
    self.init(try OpenClusters.open(place, timing, keys: [], onIssue: nil))
  }
}
