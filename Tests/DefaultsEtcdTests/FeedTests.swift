import Defaults
import Foundation
import Testing

@testable import DefaultsEtcd

@Suite("The connection state of an etcd suite")
struct FeedTests {
  private func problem(_ reason: String) -> Defaults.SuiteError {
    Defaults.SuiteError(.unreachable, reason)
  }

  @Test("The end of an outage ends the issue that was reported, although the reason has changed")
  func outages() throws {
    let feed = Feed()
    for _ in 1...2 {
      let begin = Date()
      let issue = try #require(feed.goOffline(since: begin, problem("no route")))
      #expect(feed.goOffline(since: Date(), problem("timed out")) == nil)
      guard case .offline(begin, let latest) = feed.present.link else {
        Issue.record("The state is \(feed.present.link)")
        return
      }
      #expect(latest.reason == "timed out")
      #expect(feed.goOnline()?.reason == issue.reason)
      #expect(feed.goOnline() == nil && feed.present.isLive)
    }
  }
}
