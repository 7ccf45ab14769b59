import Defaults
import Foundation

/// The effect of many suites or many observers on the measured one.
struct CrowdLines {
  let fixtures: Fixtures

  var lines: [Line] { [neighbours, writtenNeighbours, invalidation] }

  private var neighbours: Line {
    line("set beside 1,000 open suites in the folder", areWritten: false)
  }

  /// Their snapshots are written a second later, during the measured sets.
  private var writtenNeighbours: Line {
    line("set beside 200 suites in the folder that were just written", count: 200, areWritten: true)
  }

  private func line(_ name: String, count suites: Int = 1_000, areWritten: Bool) -> Line {
    .contest(name, size: 10) {
      let folder = try fixtures.scratch.newFolder("crowd")
      let alone = try fixtures.scratch.newFolder("alone")
      let crowd = try (0..<suites).map { number in
        try Defaults.PropertyListSuite(url: folder.appending(path: "\(number).plist"))
      }
      if areWritten { for suite in crowd { suite.set(1, forKey: "name") } }
      func key(_ folder: URL) throws -> Defaults.Key<Int> {
        let suite = try Defaults.PropertyListSuite(url: folder.appending(path: "own.plist"))
        for number in 0..<10 { suite.set(number, forKey: "entry.\(number)") }
        return Defaults.Key("launchCount", default: 0, suite: suite)
      }
      let (ours, peer) = (try key(folder), try key(alone))
      let numbers = Counter()
      return Contest(
        ours: { count in
          withExtendedLifetime(crowd) {
            time { for _ in 0..<count { Defaults[ours] = numbers.next() } }
          }
        },
        peers: [
          Peer("ours in a folder of its own", bar: areWritten ? nil : .atMost(2)) { count in
            time { for _ in 0..<count { Defaults[peer] = numbers.next() } }
          }
        ])
    }
  }

  private var invalidation: Line {
    let size = 20_000
    return .contest("invalidate one of 20,000 observers of a key, the oldest first", size: size) {
      let suite = Defaults.MemorySuite()
      func observations(_ key: Defaults.Key<Int>, _ count: Int) -> [any Defaults.Observation] {
        (0..<count).map { _ in Defaults.observe(key, options: []) { use($0.newValue) } }
      }
      return Contest(
        ours: { count in
          let tokens = observations(Defaults.Key("ours", default: 0, suite: suite), count)
          return time { for token in tokens { token.invalidate() } }
        },
        peers: [
          Peer("one of 10", bar: .atMost(4)) { count in
            let key = Defaults.Key("peer", default: 0, suite: suite)
            var total = 0
            for _ in 0..<count / 10 {
              let tokens = observations(key, 10)
              total += time { for token in tokens { token.invalidate() } }
            }
            return total
          }
        ], limit: size, isFixed: true)
    }
  }
}
