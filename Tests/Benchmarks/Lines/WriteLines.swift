import Defaults
import Foundation
import Harness

/// Setting without waiting for the disk.
struct WriteLines {
  let fixtures: Fixtures

  private static let kept = "UserDefaults set and synchronize"
  private static let unkept = "UserDefaults set alone, lost by a kill"

  var lines: [Line] {
    [changed, equal, string, codable, thenRead, transaction].flatMap { Fixtures.sizes.map($0) }
      + [limited]
  }

  private func changed(_ size: Int) -> Line {
    .contest("set of a changed Int", size: size) {
      let fixture = try fixtures.shared(size)
      let peer = fixture.foundation
      let file = try BareFile(in: fixtures.scratch.newFolder("bare"))
      let numbers = Counter()
      return Contest(
        ours: { count in time { for _ in 0..<count { Defaults[fixture.count] = numbers.next() } } },
        peers: [
          Peer(
            Self.kept, bar: .faster(2),
            work: { count in
              time { for _ in 0..<count { peer.keep(numbers.next(), "launchCount") } }
            }),
          Peer(Self.unkept) { count in
            time {
              for _ in 0..<count { peer.userDefaults.set(numbers.next(), forKey: "launchCount") }
            }
          },
          Peer("bare pwrite of 80 bytes") { count in
            try time { for _ in 0..<count { try file.append() } }
          },
          // A set also reads the end of the journal.
          Peer(
            "the four bare system calls: flock, stat by path, pwrite, unlock",
            bar: size == 10 ? .atMost(1.25) : nil
          ) { count in
            try time { for _ in 0..<count { try file.commit() } }
          },
        ])
    }
  }

  /// In memory, where the cost of a rule is visible.
  private var limited: Line {
    .contest("set of a changed Int with .in(…), in memory", size: 1) {
      let suite = Defaults.MemorySuite()
      let limited = Defaults.Key("limited", default: 0, suite: suite, .in(0...1_000_000_000))
      let free = Defaults.Key("free", default: 0, suite: suite)
      let numbers = Counter()
      return Contest(
        ours: { count in time { for _ in 0..<count { suite[limited] = numbers.next() } } },
        peers: [
          Peer("without the range") { count in
            time { for _ in 0..<count { suite[free] = numbers.next() } }
          }
        ])
    }
  }

  private func equal(_ size: Int) -> Line {
    .contest("set of an equal Int", size: size) {
      let fixture = try fixtures.shared(size)
      let peer = fixture.foundation.userDefaults
      let value = Defaults[fixture.count]
      return Contest(
        ours: { count in time { for _ in 0..<count { Defaults[fixture.count] = value } } },
        peers: [
          Peer("UserDefaults set alone") { count in
            time { for _ in 0..<count { peer.set(value, forKey: "launchCount") } }
          }
        ])
    }
  }

  private func string(_ size: Int) -> Line {
    .contest("set of a changed String", size: size) {
      let fixture = try fixtures.shared(size)
      let peer = fixture.foundation.userDefaults
      let texts = ["Augusta Ada King, Countess of Lovelace", Entries.userName]
      return Contest(
        ours: { count in
          time { for index in 0..<count { Defaults[fixture.userName] = texts[index & 1] } }
        },
        peers: [
          Peer(Self.kept) { count in
            time {
              for index in 0..<count {
                peer.set(texts[index & 1], forKey: "userName")
                peer.synchronize()
              }
            }
          },
          Peer(Self.unkept) { count in
            time { for index in 0..<count { peer.set(texts[index & 1], forKey: "userName") } }
          },
        ])
    }
  }

  private func codable(_ size: Int) -> Line {
    .contest("set of a changed Codable struct", size: size) {
      let fixture = try fixtures.shared(size)
      let peer = fixture.foundation.userDefaults
      let encoder = JSONEncoder()
      var user = Entries.user
      func next() -> User {
        user.age &+= 1
        return user
      }
      return Contest(
        ours: { count in time { for _ in 0..<count { Defaults[fixture.user] = next() } } },
        peers: [
          Peer("UserDefaults JSONEncoder, set and synchronize") { count in
            try time {
              for _ in 0..<count {
                peer.set(try encoder.encode(next()), forKey: "user")
                peer.synchronize()
              }
            }
          },
          Peer("UserDefaults JSONEncoder and set alone, lost by a kill") { count in
            try time {
              for _ in 0..<count { peer.set(try encoder.encode(next()), forKey: "user") }
            }
          },
        ])
    }
  }

  private func thenRead(_ size: Int) -> Line {
    .contest("set an Int, then read it", size: size) {
      let fixture = try fixtures.shared(size)
      let peer = fixture.foundation.userDefaults
      let bars = [10: Bar.faster(3), 1_000: .faster(80), 10_000: .faster(1_000)]
      let numbers = Counter()
      return Contest(
        ours: { count in
          timeReads(count) {
            Defaults[fixture.count] = numbers.next()
            return Defaults[fixture.count]
          }
        },
        peers: [
          Peer(
            "UserDefaults set and integer(forKey:)", bar: bars[size],
            work: { count in
              timeReads(count) {
                peer.set(numbers.next(), forKey: "launchCount")
                return peer.integer(forKey: "launchCount")
              }
            })
        ])
    }
  }

  private func transaction(_ size: Int) -> Line {
    .contest("transaction of 100 Ints", size: size) {
      let fixture = try fixtures.own(Entries.mixed(size))
      let (suite, peer) = (fixture.suite, fixture.foundation.userDefaults)
      let names = (0..<100).map { "counter.\($0)" }
      let keys = names.map { Defaults.Key($0, default: 0, suite: suite) }
      let numbers = Counter()
      return Contest(
        ours: { count in
          try time {
            for _ in 0..<count {
              let value = numbers.next()
              try suite.transaction { draft in for key in keys { draft[key] = value } }
            }
          }
        },
        peers: [
          Peer("UserDefaults 100 sets and one synchronize") { count in
            time {
              for _ in 0..<count {
                let value = numbers.next()
                for name in names { peer.set(value, forKey: name) }
                peer.synchronize()
              }
            }
          },
          Peer("100 sets of ours") { count in
            time {
              for _ in 0..<count {
                let value = numbers.next()
                for key in keys { suite[key] = value }
              }
            }
          },
        ])
    }
  }
}
