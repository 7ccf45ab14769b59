import Defaults
import Foundation

extension Defaults {
  /// A suite whose entries are stored in an etcd cluster under a prefix: the settings of a fleet.
  ///
  /// ```swift
  /// let fleet = try await Defaults.EtcdSuite(
  ///   endpoints: [URL(string: "http://10.0.0.1:2379")!], prefix: "app/",
  ///   schema: Limits.self, cache: cacheURL)
  /// let limit = fleet[.requestLimit]        // from memory
  /// try fleet.set(500, for: .requestLimit)  // for every program of the fleet
  /// let observation = Defaults.observe(.requestLimit) { change in … }
  /// ```
  ///
  /// Every key works with this suite, as do settings structs, observation, `updates`, layers and
  /// the command. It uses the JSON gateway of etcd 3.4 or later.
  ///
  /// **Reading** uses memory, never the network. A cache, which is a property list on this machine,
  /// gives a starting program the last known values, even if the cluster doesn't answer. Opening
  /// doesn't wait for the cluster; ``ready(within:)`` does, and ``connectionState`` returns the
  /// current state.
  ///
  /// **Changes** of other programs arrive through a watch, in the order of the cluster's revisions,
  /// one change per revision. Their source is
  /// ``Defaults/Defaults/Change/Source-swift.enum/external``. After a lost stream or compacted
  /// history, all entries are listed again, and the differences are one change. If a member doesn't
  /// answer, the next one is used.
  ///
  /// **Writing** changes the cluster, and returns when the cluster has made the change and every
  /// reader in this process sees it. `update`, `increment` and `transaction` are made if the values
  /// that they read are unchanged. Otherwise their bodies run again on the new values, so a body
  /// must have no side effects. A transaction is one transaction of the cluster, and the cluster
  /// limits its number of operations. A body that reads the list of names depends on all names. If
  /// the answer to a change is lost, the suite finds out the result and never makes the change
  /// twice. A setter blocks its thread until the cluster has answered. In asynchronous code, use
  /// ``perform(_:)``.
  ///
  /// **Offline**, `set(_:for:)`, `update` and `transaction` throw `unreachable`, and calls that
  /// can't throw report it; nothing is changed. With ``Options/queueing``, a set is stored in the
  /// cache and made later. These functions also throw `tooManyConflicts` if other programs commit
  /// first at each attempt, `denied`, and `unconfirmed` if the timeout of ``Timing`` ends before
  /// the result of a change is known.
  ///
  /// **Values** are JSON, and names are the keys without the prefix, so that other programs and
  /// `etcdctl` can read and write them. If a value isn't JSON, or a known key doesn't allow it, an
  /// issue is reported and the last valid value is kept. For that check, open the suite with its
  /// keys or a schema.
  ///
  /// Suites opened in one process with the same endpoints, prefix, user, cache and options share
  /// one state. A forked child that doesn't exec reads its parent's entries. It can't open a suite:
  /// the initializer throws `forked`.
  public final class EtcdSuite: Defaults.StoredSuiteView {
    /// The storage of the entries.
    @_documentation(visibility: internal)
    public let storage: Defaults.StoredSuite

    /// The cluster's current entries, for reading and observing. They differ from the suite's own
    /// entries only with ``Options/stableUntilRestart``: then they take effect at the next start.
    public let upcoming: Defaults.StoredSuite

    private let replica: Replica

    /// Creates a suite of the entries under a prefix. It has the entries of the cache until the
    /// cluster answers.
    ///
    /// - Parameters:
    ///   - endpoints: The client URLs of members, such as `http://10.0.0.1:2379`. They are tried in
    ///     turn.
    ///   - prefix: The beginning of the keys of all entries, such as `app/`. Not empty.
    ///   - keys: The keys that the program uses with the suite. If a key doesn't allow a value, an
    ///     issue is reported and the last valid value is kept. Any other key is checked only after
    ///     its first use. If an invalid value has arrived before that, reads return the default.
    ///     Pass an empty list only in a program that copies or prints entries without keys.
    ///   - cache: A file for the last known values, used by this suite only, with mode 0600.
    ///     Several processes may share it. Without a cache, a program that starts without the
    ///     cluster has no values.
    ///   - user: The user's name and password for a cluster with authentication. The user's roles
    ///     need access to the whole prefix.
    ///   - tls: The certificates for `https`.
    ///   - options: The options of the suite.
    ///   - encoding: The format of values in the cluster.
    ///   - timing: The timeouts and limits.
    ///   - onIssue: Receives the suite's issues instead of ``Defaults/Defaults/issueHandler``.
    /// - Throws: The errors of a ``Defaults/Defaults/PropertyListSuite`` for the cache,
    ///   `unusableCache` if the cache is another file, and `noLocation` for an empty prefix, no
    ///   endpoints, or an endpoint that isn't an `http` or `https` URL. A cluster that doesn't
    ///   answer isn't an error.
    public convenience init(
      endpoints: [URL], prefix: String, keys: [Defaults.AnyKey], cache: URL? = nil,
      user: User? = nil, tls: TLS = TLS(), options: Options = [], encoding: ValueEncoding = .json,
      timing: Timing = Timing(), onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
    ) throws(Defaults.SuiteError) {
      let place = Place(
        endpoints: endpoints, prefix: prefix, cache: cache, user: user, tls: tls, options: options,
        encoding: encoding)
      self.init(try OpenClusters.open(place, timing, keys: keys, onIssue: onIssue))
    }

    /// Creates a suite with the keys of a schema.
    public convenience init(
      endpoints: [URL], prefix: String, schema: (some Defaults.Schema).Type, cache: URL? = nil,
      user: User? = nil, tls: TLS = TLS(), options: Options = [], encoding: ValueEncoding = .json,
      timing: Timing = Timing(), onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
    ) throws(Defaults.SuiteError) {
      try self.init(
        endpoints: endpoints, prefix: prefix, keys: Self.keys(of: schema), cache: cache, user: user,
        tls: tls, options: options, encoding: encoding, timing: timing, onIssue: onIssue)
    }

    /// Creates a suite without blocking the task's thread while the cache is read.
    public convenience init(
      endpoints: [URL], prefix: String, keys: [Defaults.AnyKey], cache: URL? = nil,
      user: User? = nil, tls: TLS = TLS(), options: Options = [], encoding: ValueEncoding = .json,
      timing: Timing = Timing(), onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
    ) async throws(Defaults.SuiteError) {
      let place = Place(
        endpoints: endpoints, prefix: prefix, cache: cache, user: user, tls: tls, options: options,
        encoding: encoding)
      let opened = try await LibraryThread.run { () throws(SuiteError) in
        try OpenClusters.open(place, timing, keys: keys, onIssue: onIssue)
      }
      self.init(opened)
    }

    /// Creates a suite with the keys of a schema, without blocking the task's thread.
    public convenience init(
      endpoints: [URL], prefix: String, schema: (some Defaults.Schema).Type, cache: URL? = nil,
      user: User? = nil, tls: TLS = TLS(), options: Options = [], encoding: ValueEncoding = .json,
      timing: Timing = Timing(), onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
    ) async throws(Defaults.SuiteError) {
      try await self.init(
        endpoints: endpoints, prefix: prefix, keys: Self.keys(of: schema), cache: cache, user: user,
        tls: tls, options: options, encoding: encoding, timing: timing, onIssue: onIssue)
    }

    private static func keys(of schema: (some Defaults.Schema).Type) -> [Defaults.AnyKey] {
      // Only names, defaults and rules are used.
      schema.init(suite: Defaults.MemorySuite()).keys
    }

    init(_ opened: OpenCluster) {
      storage = opened.storage
      upcoming = opened.upcoming
      replica = opened.replica
    }

    /// The state of the connection.
    public var connectionState: ConnectionState {
      switch replica.feed.present.link {
      case .starting: .starting
      case .live: .live
      case .offline(let since, let error): .offline(since: since, because: error)
      }
    }

    /// The cluster's revision whose entries reads return. Before the cluster has answered, the
    /// revision of the cache; 0 if there is none.
    public var revision: Int64 { replica.known.withLock { $0.revision } }

    /// The names of settings with a queued set, which isn't yet made in the cluster. See
    /// ``Options/queueing``.
    public var queuedNames: Set<String> { replica.queuedNames }

    /// Waits until reads return the cluster's current entries. Returns immediately if they already
    /// do.
    ///
    /// - Parameter time: The maximum time to wait.
    /// - Throws: `unreachable` when the time expires, `denied` if the cluster rejects the user, and
    ///   `forked` in a forked child.
    public func ready(within time: Duration) async throws(Defaults.SuiteError) {
      try SuiteError.checkProcess(of: label)
      let replica = replica
      let deadline = MonotonicClock.now(plus: time)
      let copy = await LibraryThread.run { () throws(Never) in
        replica.awaitCurrent(until: deadline)
      }
      guard let copy else { return }
      var reason = "The cluster hasn't answered in \(time.seconds) seconds"
      switch connectionState {
      case .starting: break
      case .offline(_, let error) where error.code == .denied: throw error
      case .offline(_, let error): reason += ": \(error.reason)"
      case .live:
        reason = "The settings aren't current after \(time.seconds) seconds: \(copy.reason)"
      }
      throw SuiteError(.unreachable, reason, suite: label)
    }

    /// Runs a blocking closure, such as one that writes, without blocking the task's thread.
    ///
    /// ```swift
    /// try await fleet.perform { try $0.increment(.launches) }
    /// ```
    public func perform<Result: Sendable>(
      _ body: @escaping @Sendable (EtcdSuite) throws -> Result
    ) async throws -> Result {
      try await LibraryThread.run { try body(self) }
    }
  }
}

extension Defaults.SuiteError.Code {
  /// The cluster's history isn't the history that the suite knows: the cluster was restored from a
  /// backup or set up again.
  public static let otherCluster = Self(rawValue: "otherCluster")

  /// The file for the cache contains settings, or the cache of another prefix.
  public static let unusableCache = Self(rawValue: "unusableCache")

  /// Several keys of the cluster have the same setting name, in composed and decomposed form.
  public static let ambiguousName = Self(rawValue: "ambiguousName")

  /// A suite has a user, but the cluster has no authentication. The suite works without
  /// authentication.
  public static let withoutAuthentication = Self(rawValue: "withoutAuthentication")
}
