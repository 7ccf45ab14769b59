import Defaults
import Foundation
import Harness
import Observation

/// Settings as properties of a struct or a class.
struct SettingsLines {
  let fixtures: Fixtures

  private static let size = 1_000

  var lines: [Line] {
    [instance, untracked, inLoop, ofClass, observableDefault] + [1, 20].map(tracked)
  }

  private var instance: Line {
    .contest("settings struct with 20 properties: instance and first read", size: Self.size) {
      let suite = try fixtures.standard().suite
      let bound = ManySettings(suite: suite)
      return Contest(
        ours: { count in
          time { for _ in 0..<count { use(ManySettings(suite: suite).launchCount) } }
        },
        peers: [
          Peer("60 µs", bar: .faster(1)) { count in
            time {
              for _ in 0..<count {
                let end = MonotonicTime.now + 60_000
                while MonotonicTime.now < end {}
              }
            }
          },
          Peer("Mirror of it, names of the children") { count in
            time {
              for _ in 0..<count {
                for child in Mirror(reflecting: bound).children { use(child.label?.count ?? 0) }
              }
            }
          },
        ])
    }
  }

  private var untracked: Line {
    .contest("untracked read of a settings struct's Int", size: Self.size) {
      let settings = ManySettings(suite: try fixtures.standard().suite)
      let peer = ObservableObject()
      return Contest(
        ours: { timeReadsAlone($0) { settings.launchCount } },
        peers: [
          Peer("Defaults[key] in a function of its own", bar: .atMost(3)) {
            timeReadsAlone($0) { Defaults[.launchCount] }
          },
          Peer("a property of an @Observable class") { timeReadsAlone($0) { peer.count } },
        ])
    }
  }

  private var inLoop: Line {
    .contest("untracked read of a settings struct's Int, in a loop", size: Self.size) {
      let settings = ManySettings(suite: try fixtures.standard().suite)
      let peer = ObservableObject()
      return Contest(
        ours: { timeReads($0) { settings.launchCount } },
        peers: [
          Peer("Defaults[key] in a loop") { timeReads($0) { Defaults[.launchCount] } },
          Peer("a property of an @Observable class") { timeReads($0) { peer.count } },
        ])
    }
  }

  private var ofClass: Line {
    .contest("untracked read of a settings class's Int", size: Self.size) {
      let settings = SettingsClass(suite: try fixtures.standard().suite)
      return Contest(
        ours: { timeReads($0) { settings.launchCount } },
        peers: [
          Peer("Defaults[key] in a loop") { timeReads($0) { Defaults[.launchCount] } }
        ])
    }
  }

  private var observableDefault: Line {
    .contest("untracked read of an @ObservableDefault Int", size: Self.size) {
      _ = try fixtures.standard()
      let object = ObjectWithDefault()
      return Contest(
        ours: { timeReads($0) { object.launchCount } },
        peers: [
          Peer("Defaults[key] in a loop") { timeReads($0) { Defaults[.launchCount] } }
        ])
    }
  }

  /// Reads of one property in each tracking.
  private func tracked(_ reads: Int) -> Line {
    .contest("tracked read, \(reads) in one tracking", size: Self.size) {
      let settings = ManySettings(suite: try fixtures.standard().suite)
      let peer = ObservableObject()
      func work(_ read: @escaping () -> Int) -> Work {
        { count in
          time {
            for _ in 0..<count {
              withObservationTracking {
                for _ in 0..<reads { use(read()) }
              } onChange: {
              }
            }
          }
        }
      }
      return Contest(
        ours: work { settings.launchCount },
        peers: [
          Peer(
            "a property of an @Observable class", bar: .atMost(1.2), work: work { peer.count })
        ])
    }
  }
}

@Observable
private final class ObservableObject {
  var count = 42
}

private final class ObjectWithDefault {
  @ObservableDefault(.launchCount) var launchCount: Int
}

private final class SettingsClass: Defaults.Settings {
  @Stored var launchCount = 0
}

/// Properties of all usual types, including the benchmarks' entries.
private struct ManySettings: Defaults.Schema {
  @Stored var isOpen = false
  @Stored var launchCount = 0
  @Stored var quality = 0.8
  @Stored var userName = ""
  @Stored var theme = Theme.system
  @Stored var user = User(name: "", age: 0, isAdmin: false)
  @Stored var recentFiles: [String] = []
  @Stored var columnWidths: [String: Int] = [:]
  @Stored var lastPage: Int?
  @Stored var missing = 7
  @Stored var isMuted = false
  @Stored var volume = 5
  @Stored var zoom = 1.0
  @Stored var nickname: String?
  @Stored var since: Date?
  @Stored var home: URL?
  @Stored(name: "window-title") var title = "x"
  @Stored(coding: .json) var other = User(name: "", age: 0, isAdmin: false)
  @Stored(coding: .iso8601) var expiry: Date?
  @Stored var tags: Set<String> = []
}
