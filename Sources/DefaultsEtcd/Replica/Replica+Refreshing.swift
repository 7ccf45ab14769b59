import Defaults
import Foundation

extension Replica {
  /// Applies all current entries of the cluster.
  func refresh() throws(SuiteError) {
    let timing = settings.timing
    let attempts = feed.present.attempts
    if !feed.present.isLive {
      feed.list()
      feed.wait(timing.requestTimeout.seconds * 2) {
        $0.isLive || $0.attempts > attempts || $0.isClosed
      }
      try requireLink()
    }
    try awaitAll()
    try table.withWriter { takeIn(upTo: .max) }
    saveSoon()
  }

  /// Waits until all current changes of the cluster have arrived, according to any responding
  /// member.
  func awaitAll() throws(SuiteError) {
    var problem: GatewayError?
    for _ in gateway.endpoints.all {
      let endpoint = gateway.endpoints.current
      do throws(GatewayError) {
        return try awaitAll(of: endpoint)
      } catch {
        gateway.endpoints.giveUp(endpoint)
        problem = error
      }
    }
    if let problem { throw problem.error(at: table.support.label) }
  }

  /// Waits until all current changes of the cluster have arrived.
  private func awaitAll(of endpoint: URL) throws(GatewayError) {
    let timing = settings.timing
    if try hasAllByRevision(of: endpoint) { return }
    let answer: RangeResponse = try gateway.call(
      "/v3/kv/range", RangeRequest.latest(of: space), at: endpoint,
      within: timing.requestTimeout.seconds)
    let present = answer.header.revision.value
    if feed.wait(timing.watchTimeout.seconds, for: { $0.hasAll(of: answer) }) { return }
    feed.list()
    guard feed.wait(timing.requestTimeout.seconds * 2, for: { $0.revision >= present }) else {
      throw GatewayError(.open, "the changes of \(Gateway.name(endpoint)) don't arrive")
    }
  }

  /// Whether all changes have arrived, by the cluster's revision alone. False is inconclusive,
  /// since keys outside of the prefix may have changed.
  func hasAllByRevision(of endpoint: URL) throws(GatewayError) -> Bool {
    let answer: RangeResponse = try gateway.call(
      "/v3/kv/range", RangeRequest.revision(in: space), at: endpoint,
      within: settings.timing.requestTimeout.seconds)
    return feed.present.revision >= answer.header.revision.value
  }
}

extension Feed.State {
  /// Whether everything has arrived that a member had when it returned the latest change and the
  /// number of keys: no later change, and no missing or extra key.
  func hasAll(of answer: RangeResponse) -> Bool {
    let latest = answer.kvs?.first?.modRevision ?? 0
    let isAsMany = count == answer.count?.value ?? 0
    return revision >= latest && (isAsMany || revision > answer.header.revision.value)
  }
}
