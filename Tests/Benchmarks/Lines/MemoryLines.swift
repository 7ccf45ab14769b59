import Defaults
import Foundation
import Harness

/// The memory per entry, in a process that does nothing else.
struct MemoryLines {
  let fixtures: Fixtures

  private static let size = 10_000
  private static let rounds = 3

  #if canImport(Glibc)
    var lines: [Line] {
      [("Int", false), ("mixed", true)].flatMap { kind, isMixed in
        let entries = isMixed ? Entries.mixed : Entries.integers
        return [
          line("memory per \(kind) entry, one was read", "heap", "one", entries, bar: .atMost(0.5)),
          line(
            "memory per \(kind) entry, all were read", "heap", "all", entries, bar: .atMost(0.5)),
          line("resident memory per \(kind) entry, all were read", "resident", "all", entries),
        ]
      }
    }
  #else
    var lines: [Line] { [] }
  #endif

  private func line(
    _ name: String, _ measure: String, _ extent: String,
    _ entries: @escaping (Int) -> [String: Defaults.PropertyListValue], bar: Bar? = nil
  ) -> Line {
    .contest(name, size: Self.size, unit: .bytes) {
      let fixture = try fixtures.own(entries(Self.size))
      guard let url = fixture.suite.url else { throw HarnessError("The suite has no file") }
      let copy = try fixtures.scratch.newFolder("memory").appending(path: "Defaults.plist")
      try FileManager.default.copyItem(at: url, to: copy)
      return Contest(
        ours: { _ in
          try Child.number(["memory", measure, extent, "ours", copy.path]) / Self.size
        },
        peers: [
          Peer(
            "UserDefaults", bar: bar,
            work: { _ in
              try Child.number(["memory", measure, extent, "foundation", fixture.foundation.name])
                / Self.size
            })
        ], limit: 1, roundLimit: Self.rounds)
    }
  }
}
