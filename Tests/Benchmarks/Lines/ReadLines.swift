import Defaults
import Foundation

/// Reading with one thread, in a suite of 1,000 entries.
struct ReadLines {
  let fixtures: Fixtures

  private static let size = 1_000
  private static let lookUp = "[String: PropertyListValue] look-up"
  /// The bars of values that are read without decoding, and of those that take longer with
  /// UserDefaults.
  private static let cached = Bar.faster(300)
  private static let decoded = Bar.faster(50)
  private static let ofLookUp = Bar.atMost(0.25)

  var lines: [Line] { numbers + texts + collections + rest }

  /// A line for a key of the program's suite. The second peer looks up its name.
  private func line(
    _ name: String, _ peer: String, bar: Bar? = nil, lookUpBar: Bar? = nil,
    ours: @escaping Work,
    foundation: @escaping (UserDefaults) -> Work, bare: @escaping (BareDictionary) -> Work
  ) -> Line {
    .contest(name, size: Self.size) {
      let fixture = try fixtures.standard()
      return Contest(
        ours: ours,
        peers: [
          Peer(
            "UserDefaults " + peer, bar: bar,
            work: foundation(fixture.foundation.userDefaults)),
          Peer(Self.lookUp, bar: lookUpBar, work: bare(BareDictionary(fixture.entries))),
        ])
    }
  }

  private var numbers: [Line] {
    [
      line(
        "read a Bool", "bool(forKey:)", bar: Self.cached, lookUpBar: Self.ofLookUp,
        ours: { timeReads($0) { Defaults[.isOpen] ? 1 : 0 } },
        foundation: { peer in { timeReads($0) { peer.bool(forKey: "isOpen") ? 1 : 0 } } },
        bare: { bare in
          { timeReads($0) { if case .bool(true) = bare.entries["isOpen"] { 1 } else { 0 } } }
        }),
      line(
        "read an Int", "integer(forKey:)", bar: Self.cached, lookUpBar: Self.ofLookUp,
        ours: { timeReads($0) { Defaults[.launchCount] } },
        foundation: { peer in { timeReads($0) { peer.integer(forKey: "launchCount") } } },
        bare: { Self.integers($0, "launchCount") }),
      line(
        "read a Double", "double(forKey:)", bar: Self.cached, lookUpBar: Self.ofLookUp,
        ours: { timeReads($0) { Defaults[.quality] > 0.4 ? 1 : 0 } },
        foundation: { peer in { timeReads($0) { peer.double(forKey: "quality") > 0.4 ? 1 : 0 } } },
        bare: { bare in
          {
            timeReads($0) {
              if case .real(let value) = bare.entries["quality"], value > 0.4 { 1 } else { 0 }
            }
          }
        }),
      line(
        "read an enum", "string(forKey:) and init(rawValue:)", bar: Self.cached,
        lookUpBar: Self.ofLookUp,
        ours: { timeReads($0) { Defaults[.theme] == .dark ? 1 : 0 } },
        foundation: { peer in
          { timeReads($0) { peer.string(forKey: "theme").flatMap(Theme.init) == .dark ? 1 : 0 } }
        },
        bare: { Self.texts($0, "theme") }),
    ]
  }

  private var texts: [Line] {
    let decoder = JSONDecoder()
    return [
      line(
        "read a String", "string(forKey:)", bar: Self.decoded,
        ours: { timeReads($0) { Defaults[.userName].utf8.count } },
        foundation: { peer in
          { timeReads($0) { peer.string(forKey: "userName")?.utf8.count ?? 0 } }
        },
        bare: { Self.texts($0, "userName") }),
      line(
        "read a Codable struct", "data(forKey:) and JSONDecoder", bar: Self.decoded,
        ours: { timeReads($0) { Defaults[.user].age } },
        foundation: { peer in
          {
            timeReads($0) {
              let user = peer.data(forKey: "user").flatMap {
                try? decoder.decode(User.self, from: $0)
              }
              return user?.age ?? 0
            }
          }
        },
        bare: { Self.texts($0, "user") }),
    ]
  }

  private var collections: [Line] {
    [
      line(
        "read a [String]", "array(forKey:)", bar: Self.decoded,
        ours: { timeReads($0) { Defaults[.recentFiles].count } },
        foundation: { peer in
          { timeReads($0) { (peer.array(forKey: "recentFiles") as? [String])?.count ?? 0 } }
        },
        bare: { bare in
          {
            timeReads($0) {
              if case .array(let values) = bare.entries["recentFiles"] { values.count } else { 0 }
            }
          }
        }),
      line(
        "read a [String: Int]", "dictionary(forKey:)",
        ours: { timeReads($0) { Defaults[.columnWidths].count } },
        foundation: { peer in
          {
            timeReads($0) {
              (peer.dictionary(forKey: "columnWidths") as? [String: Int])?.count ?? 0
            }
          }
        },
        bare: { bare in
          {
            timeReads($0) {
              if case .dictionary(let values) = bare.entries["columnWidths"] {
                values.count
              } else {
                0
              }
            }
          }
        }),
    ]
  }

  private var rest: [Line] {
    [
      line(
        "read an Int?", "object(forKey:) as? Int",
        ours: { timeReads($0) { Defaults[.lastPage] ?? 0 } },
        foundation: { peer in
          { timeReads($0) { peer.object(forKey: "lastPage") as? Int ?? 0 } }
        },
        bare: { Self.integers($0, "lastPage") }),
      line(
        "read a missing Int", "integer(forKey:)",
        ours: { timeReads($0) { Defaults[.missing] } },
        foundation: { peer in { timeReads($0) { peer.integer(forKey: "missing") } } },
        bare: { Self.integers($0, "missing") }),
      .contest("read an Int in a function of its own", size: Self.size) {
        let peer = try fixtures.standard().foundation.userDefaults
        return Contest(
          ours: { timeReadsAlone($0) { Defaults[.launchCount] } },
          peers: [
            Peer("UserDefaults integer(forKey:)") {
              timeReadsAlone($0) { peer.integer(forKey: "launchCount") }
            },
            Peer("a static let Int") { timeReadsAlone($0) { BareConstant.launchCount } },
            Peer("Defaults[key] in a loop") { timeReads($0) { Defaults[.launchCount] } },
          ])
      },
      .contest("read an Int through suite[key]", size: Self.size) {
        let fixture = try fixtures.standard()
        let (suite, peer) = (fixture.suite, fixture.foundation.userDefaults)
        return Contest(
          ours: { timeReads($0) { suite[.launchCount] } },
          peers: [
            Peer("UserDefaults integer(forKey:)") {
              timeReads($0) { peer.integer(forKey: "launchCount") }
            },
            Peer("Defaults[key]") { timeReads($0) { Defaults[.launchCount] } },
          ])
      },
      .contest("read an Int by name", size: Self.size) {
        let fixture = try fixtures.standard()
        let (suite, peer) = (fixture.suite, fixture.foundation.userDefaults)
        let locked = LockedDictionary(fixture.entries)
        return Contest(
          ours: { timeReads($0) { suite.integer(forKey: "launchCount") } },
          peers: [
            Peer("UserDefaults integer(forKey:)") {
              timeReads($0) { peer.integer(forKey: "launchCount") }
            },
            Peer("mutex and dictionary") { timeReads($0) { locked.integer("launchCount") } },
            Peer(
              Self.lookUp, work: Self.integers(BareDictionary(fixture.entries), "launchCount")),
          ])
      },
    ]
  }

  private static func integers(_ bare: BareDictionary, _ name: String) -> Work {
    {
      timeReads($0) { if case .integer(let value) = bare.entries[name] { Int(value) } else { 0 } }
    }
  }

  private static func texts(_ bare: BareDictionary, _ name: String) -> Work {
    {
      timeReads($0) {
        if case .string(let value) = bare.entries[name] { value.utf8.count } else { 0 }
      }
    }
  }
}
