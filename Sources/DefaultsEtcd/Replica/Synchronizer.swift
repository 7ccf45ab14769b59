import Defaults
import Foundation

/// The thread that keeps a replica current. It lists the cluster, watches for changes, checks that
/// the watch still reports all of them, and after a failure starts over with the next member.
struct Synchronizer: Sendable {
  private static let page: Int64 = 5_000
  /// The number of nanoseconds after which a watch counts as successful.
  private static let longEnough: UInt64 = 1_000_000_000

  private let replica: Replica
  private var feed: Feed { replica.feed }
  private var timing: Defaults.EtcdSuite.Timing { replica.settings.timing }

  private init(replica: Replica) { self.replica = replica }

  /// Starts the thread, which ends when the feed is closed.
  static func start(_ replica: Replica) {
    let isStarted = LibraryThread.start { Self(replica: replica).run() }
    guard !isStarted else { return }
    let error = SuiteError(
      .unreachable, "The system can't create another thread", suite: replica.table.support.label)
    replica.feed.update { $0.link = .offline(since: Date(), because: error) }
  }

  private func run() {
    let endpoints = replica.gateway.endpoints
    var pauses = firstPauses
    var failures = 0
    var lost: Date?
    // A denial of one member is more informative than the silence of others.
    var denials: [URL: GatewayError] = [:]
    while !feed.present.isClosed {
      let endpoint = endpoints.current
      var listed: UInt64?
      do throws(GatewayError) {
        try follow(endpoint) {
          listed = MonotonicClock.now
          lost = nil
        }
        (pauses, failures) = (firstPauses, 0)
      } catch {
        if feed.present.isClosed { break }
        lost = lost ?? Date()
        endpoints.giveUp(endpoint)
        if error.isAboutToken { replica.gateway.forgetToken() }
        if let listed, MonotonicClock.now - listed > Self.longEnough {
          // The connection was good until now, so ask the next member immediately.
          (pauses, failures) = (firstPauses, 0)
          continue
        }
        failures += 1
        denials[endpoint] = error.isDenial ? error : nil
        feed.update { $0.attempts += 1 }
        guard failures >= endpoints.all.count else { continue }
        // If listing works, the cluster is online even if its watches end again and again.
        if listed == nil { goOffline(since: lost ?? Date(), denials.values.first ?? error) }
        feed.wait(pauses.take()) { $0.mustList || $0.isClosed }
        feed.update { $0.mustList = false }
      }
    }
  }

  private var firstPauses: Pauses { Pauses(from: 0.1, upTo: timing.maximumBackoff.seconds) }

  private func goOffline(since: Date, _ error: GatewayError) {
    let problem = error.error(at: replica.table.support.label)
    if let issue = feed.goOffline(since: since, problem) { replica.table.support.report(issue) }
  }

  private func goOnline() {
    if let issue = feed.goOnline() {
      replica.table.support.reportLater([], insteadOf: [issue])
    }
  }

  /// Lists and watches at one member, until a new listing is needed. Throws if the member fails.
  private func follow(_ endpoint: URL, onListing: () -> Void) throws(GatewayError) {
    let earlier = feed.present
    let before = max(replica.known.withLock { $0.revision }, earlier.revision)
    let listing = try list(endpoint)
    // A commit of this process may have advanced the revision in the meantime.
    guard let stream = put(listing, after: before, insteadOf: earlier.stream) else { return }
    let watch = try watch(endpoint, from: listing.revision + 1, as: stream)
    defer { watch.cancel() }
    goOnline()
    onListing()
    replica.takeInSoon()
    replica.makeIntentsSoon(isWaiting: true)
    var schedule = LookSchedule()
    var nextLook = MonotonicClock.now(plus: timing.heartbeatInterval)
    while true {
      let (state, isLookDue) = feed.state.wait(
        until: nextLook, for: { $0.isClosed || $0.mustList || $0.end != nil || $0.stream != stream }
      ) { state, isAsWanted in (state, !isAsWanted) }
      if state.isClosed { return }
      if let end = state.end, state.stream == stream { throw end }
      if state.mustList || state.stream != stream { return feed.update { $0.mustList = false } }
      if isLookDue {
        try look(endpoint, stream, &schedule)
        // Answers may have been lost while the watch worked.
        replica.makeIntentsSoon(isWaiting: false)
      }
      nextLook = MonotonicClock.now(plus: timing.heartbeatInterval)
    }
  }

  // MARK: - Listing

  private struct Listing {
    var pairs: [KeyValue] = []
    var revision: Int64 = 0
    var cluster = ""
  }

  private func list(_ endpoint: URL) throws(GatewayError) -> Listing {
    let range = replica.space.range
    var request = RangeRequest(key: range.start, range_end: range.end)
    request.limit = Int64Text(Self.page)
    var listing = Listing()
    while true {
      let answer: RangeResponse = try replica.gateway.call(
        "/v3/kv/range", request, at: endpoint, within: timing.requestTimeout.seconds * 2)
      listing.pairs += answer.kvs ?? []
      if listing.revision == 0 {
        listing.revision = answer.header.revision.value
        listing.cluster = answer.header.cluster_id
        request.revision = Int64Text(listing.revision)
      }
      guard answer.more == true, let last = answer.kvs?.last else { return listing }
      request.key = last.key + [0]
    }
  }

  /// Adds a listing to the feed, and returns the number of the next stream; nil if it is outdated.
  ///
  /// A member answers only when it has all earlier changes of the cluster. So a revision below the
  /// one known before the request means a different history, whatever the cluster's ID.
  ///
  /// A listing is ignored if a commit has requested a newer one since.
  private func put(_ listing: Listing, after before: Int64, insteadOf stream: Int) -> Int? {
    let reader = replica.reader
    let entries = listing.pairs.compactMap { reader.entry($0) }
    let known = replica.known.withLock { ($0.cluster, $0.revision) }
    let isOther =
      listing.revision < before
      || known.0 != nil && known.0 != listing.cluster
    return feed.update { state in
      guard state.stream == stream,
        isOther || listing.revision >= max(known.1, state.revision)
      else { return nil }
      state.arrivals.append(
        .listing(
          entries, revision: listing.revision, cluster: listing.cluster, isOther: isOther))
      state.revision = listing.revision
      state.count = Int64(listing.pairs.count)
      state.stream += 1
      state.end = nil
      state.mustList = false
      return state.stream
    }
  }

  // MARK: - Watching

  private func watch(
    _ endpoint: URL, from revision: Int64, as stream: Int
  ) throws(GatewayError) -> WatchStream {
    let range = replica.space.range
    let creation = WatchRequest.Creation(
      key: range.start, range_end: range.end, start_revision: Int64Text(revision))
    let request = try replica.gateway.request(
      "/v3/watch", WatchRequest(create_request: creation), at: endpoint,
      within: timing.requestTimeout.seconds)
    return WatchStream(
      request, by: replica.gateway.transport,
      onLine: { [weak replica] line in replica?.receive(line, of: stream) },
      onEnd: { [feed] error in feed.end(stream, error) })
  }

  /// Checks that the stream has reported everything. Throws if it hasn't.
  private func look(
    _ endpoint: URL, _ stream: Int, _ schedule: inout LookSchedule
  ) throws(GatewayError) {
    guard try !replica.hasAllByRevision(of: endpoint), schedule.isDue() else { return }
    let answer: RangeResponse = try replica.gateway.call(
      "/v3/kv/range", RangeRequest.latest(of: replica.space), at: endpoint,
      within: timing.requestTimeout.seconds)
    let isTold = feed.wait(timing.requestTimeout.seconds) { state in
      state.stream != stream || state.end != nil || state.isClosed || state.mustList
        || state.hasAll(of: answer)
    }
    guard isTold else {
      throw GatewayError(.open, "the watch at \(Gateway.name(endpoint)) stopped reporting changes")
    }
    // Later changes concern other keys.
    feed.update { state in
      guard state.stream == stream else { return }
      state.revision = max(state.revision, answer.header.revision.value)
    }
  }
}

extension Replica {
  /// Adds the events of a stream's line to the feed.
  func receive(_ line: WatchLine, of stream: Int) {
    guard let response = line.result, response.canceled != true else {
      let words =
        line.error?.words ?? line.result?.cancel_reason
        ?? "the history since the last change was compacted"
      feed.end(
        stream, GatewayError(.open, "the watch was ended: \(words)", status: line.error?.status))
      return
    }
    guard let events = response.events, !events.isEmpty else { return }
    let reader = reader
    var arrivals: [Arrival] = []
    var entries: [RemoteEntry] = []
    // All events of a revision are in one line.
    for (index, event) in events.enumerated() {
      if let entry = reader.entry(event.kv, isRemoved: event.isDeletion) { entries.append(entry) }
      let revision = event.kv.modRevision
      if index + 1 < events.count, events[index + 1].kv.modRevision == revision { continue }
      arrivals.append(.changes(entries, revision: revision))
      entries = []
    }
    let more = events.reduce(Int64(0)) { count, event in
      count + (event.isDeletion ? -1 : event.kv.version?.value == 1 ? 1 : 0)
    }
    let isNews = feed.update { [arrivals] state in
      guard state.stream == stream, state.end == nil else { return false }
      state.arrivals += arrivals
      state.revision = max(state.revision, arrivals.last?.revision ?? 0)
      state.count += more
      return true
    }
    if isNews { takeInSoon() }
  }

  /// Makes the queued sets, if there are any. Without `isWaiting`, only if no other thread commits.
  func makeIntentsSoon(isWaiting: Bool) {
    guard !queuedNames.isEmpty else { return }
    let deadline = MonotonicClock.now(plus: settings.timing.transactionTimeout)
    do throws(SuiteError) {
      func make() throws(SuiteError) {
        takeIn(upTo: .max)
        try makeIntents(until: deadline)
      }
      if isWaiting {
        try table.writer.withLock { _ throws(SuiteError) in try make() }
      } else {
        _ = try table.writer.withLockIfFree(attempts: 1) { _ throws(SuiteError) in try make() }
      }
    } catch {
      table.support.report(error)
    }
    deliverSoon()
  }
}

extension Feed {
  /// Stores that a stream has ended.
  fileprivate func end(_ stream: Int, _ error: GatewayError) {
    update { state in
      if state.stream == stream, state.end == nil { state.end = error }
    }
  }
}
