import Defaults
import Foundation
import Harness

/// Setting a value and waiting for the disk.
struct DurableLines {
  let fixtures: Fixtures

  var lines: [Line] {
    Fixtures.sizes.map(flush) + Fixtures.sizes.map(snapshot)
  }

  private func flush(_ size: Int) -> Line {
    .contest("set an Int, then flush", size: size) {
      let (fixture, small) = (try fixtures.shared(size), try fixtures.shared(10))
      let file = try BareFile(in: fixtures.scratch.newFolder("bare"))
      let bars = [10: Bar.faster(1), 1_000: .faster(20), 10_000: .faster(200)]
      let numbers = Counter()
      func flush(_ fixture: Fixture) -> Work {
        { count in
          try time {
            for _ in 0..<count {
              Defaults[fixture.count] = numbers.next()
              try fixture.suite.flush()
            }
          }
        }
      }
      var peers = [
        Peer(
          "UserDefaults set and synchronize, without fsync", bar: bars[size],
          work: { count in
            time { for _ in 0..<count { fixture.foundation.keep(numbers.next(), "launchCount") } }
          }),
        Peer("bare pwrite and fdatasync") { count in
          try time {
            for _ in 0..<count {
              try file.append()
              try file.synchronize()
            }
          }
        },
      ]
      if size > 10 {
        peers.append(
          Peer(
            "ours with 10 entries", bar: size == 10_000 ? .atMost(1.5) : nil, work: flush(small)))
      }
      return Contest(ours: flush(fixture), peers: peers)
    }
  }

  private func snapshot(_ size: Int) -> Line {
    .contest("set an Int, then flush a snapshot", size: size) {
      let fixture = try fixtures.shared(size)
      let folder = try fixtures.scratch.newFolder("bare")
      let file = try BareFile(in: folder)
      guard let url = fixture.suite.url else { throw HarnessError("The suite has no file") }
      let bytes = try Data(contentsOf: url)
      let numbers = Counter()
      return Contest(
        ours: { count in
          try time {
            for _ in 0..<count {
              Defaults[fixture.count] = numbers.next()
              try fixture.suite.flush(.snapshot)
            }
          }
        },
        peers: [
          Peer("UserDefaults set and synchronize, without fsync") { count in
            time { for _ in 0..<count { fixture.foundation.keep(numbers.next(), "launchCount") } }
          },
          Peer("bare write, fsync, rename, fsync of the same bytes") { count in
            try time { for _ in 0..<count { try file.replace(with: bytes) } }
          },
        ])
    }
  }
}
