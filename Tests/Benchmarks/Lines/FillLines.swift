import Defaults
import Foundation
import Harness

/// Filling an empty suite one key at a time.
struct FillLines {
  let fixtures: Fixtures

  var lines: [Line] { Fixtures.sizes.map(fill) }

  private func fill(_ size: Int) -> Line {
    .contest("fill from empty, key by key", size: size) {
      let names = (0..<size).map(Entries.name)
      let folder = try fixtures.scratch.newFolder("fill")
      let (scratch, isSampled) = (fixtures.scratch, FoundationFilling.isSampled(size))
      func foundation(_ habit: FoundationFilling.Habit) -> Work {
        { count in
          var total = 0
          for _ in 0..<count {
            let name = "fill-\(UUID().uuidString)"
            total += try Child.number(["fill", name, "\(size)", habit.rawValue])
            scratch.remove(scratch.file(ofFoundation: name))
          }
          return total
        }
      }
      let note = isSampled ? " (reckoned from 40 of the keys)" : ""
      var unkept = [
        Peer("UserDefaults set each, one synchronize at the end", work: foundation(.setting))
      ]
      // With 10,000 entries this takes a minute.
      if size < 10_000 {
        unkept.append(Peer("UserDefaults set and read each", work: foundation(.reading)))
      }
      return Contest(
        ours: { count in
          let suites = try (0..<count).map { _ in
            try Defaults.PropertyListSuite(
              url: folder.appending(path: "\(UUID().uuidString)/Defaults.plist"))
          }
          return time {
            for suite in suites {
              for (index, name) in names.enumerated() { suite.set(index, forKey: name) }
            }
          }
        },
        peers: [
          Peer(
            "UserDefaults set and synchronize each" + note,
            bar: size == 10_000 ? .faster(50) : nil,
            work: foundation(.synchronizing))
        ] + unkept, limit: 1, roundLimit: size == 10 ? 9 : 3)
    }
  }
}
