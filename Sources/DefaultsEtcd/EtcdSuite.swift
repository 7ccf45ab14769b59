import Defaults
import Foundation

extension Defaults {
  /// A suite whose entries are those of an etcd cluster under a prefix: the settings of a fleet.
  ///
  /// ```swift
  /// let fleet = try await EtcdSuite(
  ///   endpoints: [URL(string: "http://10.0.0.1:2379")!], prefix: "app/", schema: Limits.self,
  ///   cache: cacheURL)
  /// let limit = fleet[.requestLimit]                    // from memory
  /// try fleet.set(500, for: .requestLimit)              // for every program of the fleet
  /// let observation = Defaults.observe(.requestLimit) { change in … }
  /// ```
  ///
  /// Every key works here, and so do settings structs, observation, `updates`, layers, and the
  /// command. It speaks to etcd 3.4 or later by the JSON gateway of its members.
  ///
  /// **Reading** never touches the network: entries are in memory. With a cache, a property list on
  /// this machine, a program starts with the last known values, whether the cluster answers or not;
  /// opening doesn't wait for it. ``ready(within:)`` is for who must, ``connectionState`` says how
  /// it is.
  ///
  /// **News** come by a watch, in the order of the cluster's revisions, one change for each; they
  /// are ``Defaults/Defaults/Change/Source-swift.enum/external``. After the stream was lost, or its
  /// history was compacted away, all entries are listed anew, and what differs is told as one
  /// change. A member that doesn't answer is given up for the next one.
  ///
  /// **Writing** is done in the cluster, and returns when the cluster has made it and every reader
  /// here sees it. `update`, `increment` and `transaction` are made if what they read is as it was;
  /// else their bodies run again, on the new values, so they mustn't do anything else. A
  /// transaction is one of the cluster, with its limit of operations; one that asks which names
  /// there are compares each of them. What comes of a change whose answer was lost is found out; it
  /// is never made twice. A setter blocks its thread until the cluster has answered; in
  /// asynchronous code, ``perform(_:)`` doesn't.
  ///
  /// **Offline**, `set(_:for:)`, `update` and `transaction` throw `unreachable`, and what can't
  /// throw reports that; nothing is changed. With ``Options/queueing`` a set is kept in the cache
  /// instead, and made later. They also throw `tooManyConflicts`, where others are faster again and again,
  /// `denied`, and `unconfirmed`, where it couldn't be found out before the ``Timing`` is over
  /// whether the cluster has made the change.
  ///
  /// **Values** are JSON, and names are the keys without the prefix, so that other programs, and
  /// `etcdctl`, can take part. A value that isn't JSON, or that a known key doesn't allow, is an
  /// issue, and the last valid one stays. So the suite takes its keys, or a schema, when it is
  /// opened.
  ///
  /// Suites that are opened in one process on the same endpoints, prefix, user, cache and options
  /// are one. A forked child that doesn't exec reads what its parent had, and can open none:
  /// `forked`.
  public final class EtcdSuite: Defaults.StoredSuiteView {
    /// What holds the entries.
    @_documentation(visibility: internal)
    public let storage: Defaults.StoredSuite

    /// The entries as the cluster has them now, to read and to observe. They are those of this
    /// suite, but with ``Options/stableUntilRestart``, where they are the ones of the next start.
    public let upcoming: Defaults.StoredSuite

    private let replica: Replica

    /// A suite of the entries under a prefix, with those of the cache, until the cluster answers.
    ///
    /// - Parameters:
    ///   - endpoints: The client URLs of members, such as `http://10.0.0.1:2379`; asked in turn.
    ///   - prefix: The beginning of the keys of all entries: `app/`. Not empty.
    ///   - keys: The keys that the program uses with the suite. A value of the cluster that its key
    ///     doesn't allow is an issue, and the last valid one stays. A key that isn't here counts
    ///     from its first use on: an invalid value that arrived before makes it read as its
    ///     default. Pass an empty list only in a program that copies or prints entries without
    ///     keys.
    ///   - cache: A file for the last known values, of this suite alone; several processes may
    ///     share it. It has mode 0600. nil: a program that starts without the cluster has no
    ///     values.
    ///   - user: The user's name and password, where the cluster has authentication. The roles need
    ///     the whole prefix.
    ///   - tls: The certificates, with `https`.
    ///   - options: What the suite does differently.
    ///   - encoding: How values are written in the cluster.
    ///   - timing: How long things may take.
    ///   - onIssue: Takes the suite's issues in place of ``Defaults/Defaults/issueHandler``.
    /// - Throws: What a ``Defaults/Defaults/PropertyListSuite`` throws for the cache, `unusableCache`
    ///   if that is another file, and `noLocation` for no endpoints, an endpoint that isn't a URL
    ///   of `http` or `https`, or an empty prefix. A cluster that doesn't answer is no error.
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

    /// Like the form for keys, with those of a schema.
    public convenience init(
      endpoints: [URL], prefix: String, schema: (some Defaults.Schema).Type, cache: URL? = nil,
      user: User? = nil, tls: TLS = TLS(), options: Options = [], encoding: ValueEncoding = .json,
      timing: Timing = Timing(), onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
    ) throws(Defaults.SuiteError) {
      try self.init(
        endpoints: endpoints, prefix: prefix, keys: Self.keys(of: schema), cache: cache, user: user,
        tls: tls, options: options, encoding: encoding, timing: timing, onIssue: onIssue)
    }

    /// Like the synchronous form, without blocking the task's thread while the cache is read.
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

    /// Like the form for keys, with those of a schema.
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
      // Only names, defaults and rules count.
      schema.init(suite: Defaults.MemorySuite()).keys
    }

    init(_ opened: OpenCluster) {
      storage = opened.storage
      upcoming = opened.upcoming
      replica = opened.replica
    }

    /// How the connection is.
    public var connectionState: ConnectionState {
      switch replica.feed.present.link {
      case .starting: .starting
      case .live: .live
      case .offline(let since, let error): .offline(since: since, because: error)
      }
    }

    /// The revision of the cluster that reads show, or the cache's, if the cluster wasn't asked so
    /// far; 0 if neither is known.
    public var revision: Int64 { replica.known.withLock { $0.revision } }

    /// The names that were set without the cluster, and aren't set there so far; see
    /// ``Options/queueing``.
    public var queuedNames: Set<String> { replica.queuedNames }

    /// Returns when reads show what the cluster has: at once if they do, else when it has been
    /// listed for the first time, or again. Throws `unreachable` when the time is over, or `denied`
    /// if the cluster rejects the user, or `forked` in a forked child.
    public func ready(within time: Duration) async throws(Defaults.SuiteError) {
      try SuiteError.checkProcess(of: label)
      let replica = replica
      let deadline = MonotonicClock.now(plus: time)
      let isReady = await LibraryThread.run { () throws(Never) in
        replica.awaitCurrent(until: deadline) == nil
      }
      if isReady { return }
      if case .offline(_, let error) = connectionState, error.code == .denied { throw error }
      let reason =
        if case .offline(_, let error) = connectionState { ": \(error.reason)" } else { "" }
      throw SuiteError(
        .unreachable, "The cluster hasn't answered in \(time.seconds) seconds\(reason)",
        suite: label)
    }

    /// Runs a closure that may block, such as one that writes, without blocking the task's thread.
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
  /// The cluster that keeps the settings is another one than before: restored from a backup, or set
  /// up anew.
  public static let otherCluster = Self(rawValue: "otherCluster")

  /// The file that is named as the cache has settings, or is the cache of another prefix.
  public static let unusableCache = Self(rawValue: "unusableCache")

  /// Several keys of the cluster have the name of one setting, in composed and decomposed form.
  public static let ambiguousName = Self(rawValue: "ambiguousName")

  /// A suite has a user, and its cluster no authentication. The suite works without.
  public static let withoutAuthentication = Self(rawValue: "withoutAuthentication")
}
