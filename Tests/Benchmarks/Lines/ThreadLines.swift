import Defaults
import Foundation

/// Reading while another thread reads or writes the same key.
struct ThreadLines {
  let fixtures: Fixtures

  private static let size = 1_000
  private static let alone = "one thread alone"

  var lines: [Line] {
    [
      pair(
        "read an Int, two threads", ours: { timeReads($0) { Defaults[.launchCount] } },
        foundation: { peer in
          { timeReads($0) { peer.userDefaults.integer(forKey: "launchCount") } }
        },
        locked: { locked in { timeReads($0) { locked.integer("launchCount") } } }),
      besideWriter(
        "read an Int, a writer beside", ours: { timeReads($0) { Defaults[.launchCount] } },
        write: { Defaults[.launchCount] = $0 }, peerWrites: { $0.set($1, "launchCount") },
        peerReads: { locked in { timeReads($0) { locked.integer("launchCount") } } }),
      besideWriter(
        "read a String, a writer of an Int beside",
        ours: { timeReads($0) { Defaults[.userName].utf8.count } },
        write: { Defaults[.launchCount] = $0 }, peerWrites: { $0.set($1, "launchCount") },
        peerReads: { locked in { timeReads($0) { locked.string("userName").utf8.count } } }),
    ]
  }

  private typealias ParallelWork = @Sendable (_ count: Int) -> Int

  private func pair(
    _ name: String, ours: @escaping ParallelWork,
    foundation: @escaping (FoundationSettings) -> ParallelWork,
    locked: @escaping (LockedDictionary) -> ParallelWork
  ) -> Line {
    .contest(name, size: Self.size) {
      let fixture = try fixtures.standard()
      let foundation = foundation(fixture.foundation)
      let locked = locked(LockedDictionary(fixture.entries))
      return Contest(
        ours: { Self.timeTwo($0, ours) },
        peers: [
          Peer(Self.alone, bar: .atMost(3), work: ours),
          Peer("UserDefaults, two threads") { Self.timeTwo($0, foundation) },
          Peer("mutex and dictionary, two threads") { Self.timeTwo($0, locked) },
        ])
    }
  }

  private func besideWriter(
    _ name: String, ours: @escaping ParallelWork, write: @escaping @Sendable (Int) -> Void,
    peerWrites: @escaping @Sendable (LockedDictionary, Int) -> Void,
    peerReads: @escaping (LockedDictionary) -> ParallelWork
  ) -> Line {
    .contest(name, size: Self.size) {
      let fixture = try fixtures.standard()
      let locked = LockedDictionary(fixture.entries)
      let peerReads = peerReads(locked)
      return Contest(
        ours: { count in Background.repeating(write) { ours(count) } },
        peers: [
          Peer(Self.alone, work: ours),
          Peer("mutex and dictionary, a writer beside") { count in
            Background.repeating {
              peerWrites(locked, $0)
            } during: {
              peerReads(count)
            }
          },
        ])
    }
  }

  /// The mean time of two threads that start at the same time.
  private static func timeTwo(_ count: Int, _ work: @escaping ParallelWork) -> Int {
    let start = Background.Gate(2)
    let other = Background.Result()
    Thread.detachNewThread {
      start.pass()
      other.deliver(work(count))
    }
    start.pass()
    let mine = work(count)
    return (mine + other.wait()) / 2
  }
}
