import Defaults
import Foundation

/// Filling an empty suite one key at a time.
struct FillLines {
  let fixtures: Fixtures

  var lines: [Line] { Fixtures.sizes.map(fill) }

  private func fill(_ size: Int) -> Line {
    .contest("fill from empty, key by key", size: size) {
      let names = (0..<size).map(Entries.name)
      let folder = try fixtures.scratch.newFolder("fill")
      var turn = 0
      func newName() -> String {
        turn += 1
        return "fill-\(size)-\(turn)"
      }
      return Contest(
        ours: { count in
          let suites = try (0..<count).map { _ in
            try Defaults.PropertyListSuite(url: folder.appending(path: newName() + ".plist"))
          }
          return time {
            for suite in suites {
              for (index, name) in names.enumerated() { suite.set(index, forKey: name) }
            }
          }
        },
        peers: [
          Peer(
            "UserDefaults set and synchronize each" + Self.note(size),
            bar: size == 10_000 ? .faster(50) : nil,
            headline: size == 10_000 ? "fill 10,000 keys, each to survive a kill" : nil,
            work: { count in
              try Self.timeFilling(names, count, newName) { $0.synchronize() }
            }),
          Peer(
            "UserDefaults set and read each" + Self.note(size),
            work: { count in
              try Self.timeFilling(names, count, newName) { use($0.integer(forKey: names[0])) }
            }),
          Peer("UserDefaults set each, one synchronize at the end") { count in
            let peers = try (0..<count).map { _ in try FoundationSettings(newName()).userDefaults }
            return time {
              for peer in peers {
                for (index, name) in names.enumerated() { peer.set(index, forKey: name) }
                peer.synchronize()
              }
            }
          },
        ], limit: size == 10 ? 100 : 4, roundLimit: size == 10_000 ? 3 : 9)
    }
  }

  private static let blockCount = 10
  private static let sampleSize = 4

  private static func note(_ size: Int) -> String {
    size <= blockCount * sampleSize
      ? "" : " (timed for \(blockCount * sampleSize) of the keys)"
  }

  /// What it takes with something after each set. That costs in proportion to the entries, and
  /// minutes in all: only a few keys in the middle of each tenth are done so and timed, and stand
  /// for all of it.
  private static func timeFilling(
    _ names: [String], _ count: Int, _ newName: () -> String,
    _ afterEach: (UserDefaults) -> Void
  ) throws -> Int {
    var total = 0.0
    for _ in 0..<count {
      let peer = try FoundationSettings(newName()).userDefaults
      guard names.count > blockCount * sampleSize else {
        total += Double(
          time {
            for (index, name) in names.enumerated() {
              peer.set(index, forKey: name)
              afterEach(peer)
            }
          })
        continue
      }
      let blockSize = names.count / blockCount
      for block in 0..<blockCount {
        let sample = blockSize / 2..<blockSize / 2 + sampleSize
        for offset in 0..<blockSize {
          let index = block * blockSize + offset
          // Before the sample, so that what was only set doesn't count into it.
          if offset == sample.lowerBound { afterEach(peer) }
          let length = time {
            peer.set(index, forKey: names[index])
            if sample.contains(offset) { afterEach(peer) }
          }
          if sample.contains(offset) { total += Double(length * blockSize) / Double(sampleSize) }
        }
      }
    }
    return Int(total)
  }
}
