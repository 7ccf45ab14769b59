import Defaults
import Foundation

/// Opening a file and reading one value of it.
///
/// Every opening has a copy of the file under a name of its own: both libraries remember what they
/// opened in a process.
struct OpenLines {
  let fixtures: Fixtures

  private static let foundation = "UserDefaults(suiteName:) and integer(forKey:)"

  var lines: [Line] {
    Fixtures.sizes.map(open) + Fixtures.sizes.map(openInNewProcess)
      + Fixtures.sizes.map(openWithJournal)
  }

  private func open(_ size: Int) -> Line {
    .contest("open and first read", size: size) {
      let fixture = try fixtures.shared(size)
      return Contest(
        ours: openOurs([try file(of: fixture)]),
        peers: [
          Peer(
            Self.foundation, bar: .faster(size == 10_000 ? 5 : 2),
            headline: "open and read, of \(size)", work: openFoundation(fixture.foundation))
        ], limit: 32)
    }
  }

  private func openInNewProcess(_ size: Int) -> Line {
    .contest("open and first read in a new process", size: size) {
      let fixture = try fixtures.shared(size)
      let file = try file(of: fixture)
      let copy = try fixtures.scratch.newFolder("copy").appending(path: file.lastPathComponent)
      try FileManager.default.copyItem(at: file, to: copy)
      return Contest(
        ours: { _ in try Child.number("open", "ours", copy.path) },
        peers: [
          Peer(Self.foundation) { _ in
            try Child.number("open", "foundation", fixture.foundation.name)
          }
        ], limit: 1)
    }
  }

  /// There is no file, but a journal with a record for each entry.
  private func openWithJournal(_ size: Int) -> Line {
    .contest("open with a journal of as many records, and first read", size: size) {
      let folder = try fixtures.scratch.newFolder("journal")
      let file = folder.appending(path: "Defaults.plist")
      _ = try Child.number("journal", file.path, "\(size)")
      let journal = folder.appending(path: "Defaults.plist.journal")
      guard !FileManager.default.fileExists(atPath: file.path),
        FileManager.default.fileExists(atPath: journal.path)
      else { throw BenchmarkError("There is a snapshot where only a journal should be") }
      let fixture = try fixtures.shared(size)
      return Contest(
        ours: openOurs([journal]),
        peers: [
          Peer("ours, from the file", work: openOurs([try self.file(of: fixture)])),
          Peer(
            Self.foundation + ", without a journal", work: openFoundation(fixture.foundation)),
        ], limit: 32)
    }
  }

  private func file(of fixture: Fixture) throws -> URL {
    guard let url = fixture.suite.url else { throw BenchmarkError("The suite has no file") }
    try fixture.suite.flush(.snapshot)
    // Under a name that nobody changes while it is copied.
    let copy = try fixtures.scratch.newFolder("original").appending(path: "Defaults.plist")
    try FileManager.default.copyItem(at: url, to: copy)
    return copy
  }

  private func openOurs(_ files: [URL]) -> Work {
    { count in
      let folders = try (0..<count).map { _ in try fixtures.scratch.newFolder("open") }
      defer { for folder in folders { fixtures.scratch.remove(folder) } }
      for folder in folders {
        for file in files {
          try FileManager.default.copyItem(
            at: file, to: folder.appending(path: file.lastPathComponent))
        }
      }
      // They are released, and the folders removed, after the time has been taken.
      var suites: [Defaults.PropertyListSuite] = []
      suites.reserveCapacity(count)
      return try time {
        for folder in folders {
          let suite = try Defaults.PropertyListSuite(url: folder.appending(path: "Defaults.plist"))
          let value = suite[Defaults.Key("launchCount", default: 0, suite: suite)]
          guard value != 0 else { throw BenchmarkError("The file wasn't read") }
          suites.append(suite)
        }
      }
    }
  }

  private func openFoundation(_ original: FoundationSettings) -> Work {
    { [scratch = fixtures.scratch] count in
      original.userDefaults.synchronize()
      let names = (0..<count).map { _ in "open-\(UUID().uuidString)" }
      defer { for name in names { scratch.remove(scratch.file(ofFoundation: name)) } }
      for name in names {
        try FileManager.default.copyItem(
          at: scratch.file(ofFoundation: original.name), to: scratch.file(ofFoundation: name))
      }
      return try time {
        for name in names {
          let value = try FoundationSettings(name).userDefaults.integer(forKey: "launchCount")
          guard value != 0 else { throw BenchmarkError("The file wasn't read") }
        }
      }
    }
  }
}
