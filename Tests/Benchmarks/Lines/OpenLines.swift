import Defaults
import Foundation
import Harness

/// Opening a file and reading one value.
///
/// Every opening uses a copy of the file with a unique name, in a new process. Both libraries
/// remember open files, and Foundation becomes slower by it.
struct OpenLines {
  let fixtures: Fixtures

  /// The number of files that a process opens after its first one. More would make Foundation
  /// slower and slower.
  private static let limit = 8
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
            work: openFoundation(fixture.foundation))
        ], limit: Self.limit, isFixed: true)
    }
  }

  private func openInNewProcess(_ size: Int) -> Line {
    .contest("open and first read, the first of a process", size: size) {
      let fixture = try fixtures.shared(size)
      return Contest(
        ours: openOurs([try file(of: fixture)], isWarm: false),
        peers: [
          Peer(
            Self.foundation, bar: size == 10 ? .faster(2.5) : nil,
            work: openFoundation(fixture.foundation, isWarm: false))
        ],
        limit: 1)
    }
  }

  /// There is no file, only a journal with a record for each entry.
  private func openWithJournal(_ size: Int) -> Line {
    .contest("open with a journal of as many records, and first read", size: size) {
      let folder = try fixtures.scratch.newFolder("journal")
      let file = folder.appending(path: "Defaults.plist")
      _ = try Child.number(["journal", file.path, "\(size)"])
      let journal = folder.appending(path: "Defaults.plist.journal")
      guard !FileManager.default.fileExists(atPath: file.path),
        FileManager.default.fileExists(atPath: journal.path)
      else { throw HarnessError("There is a snapshot where only a journal should be") }
      let fixture = try fixtures.shared(size)
      return Contest(
        ours: openOurs([journal]),
        peers: [
          Peer("ours, from the file", work: openOurs([try self.file(of: fixture)])),
          Peer(
            Self.foundation + ", without a journal", work: openFoundation(fixture.foundation)),
        ], limit: Self.limit, isFixed: true)
    }
  }

  private func file(of fixture: Fixture) throws -> URL {
    guard let url = fixture.suite.url else { throw HarnessError("The suite has no file") }
    try fixture.suite.flush(.snapshot)
    // A name under which no process changes the file during copying.
    let copy = try fixtures.scratch.newFolder("original").appending(path: "Defaults.plist")
    try FileManager.default.copyItem(at: url, to: copy)
    return copy
  }

  /// Opens copies of the files in a new process. With `isWarm`, the process has opened one before.
  private func openOurs(_ files: [URL], isWarm: Bool = true) -> Work {
    { count in
      let folders = try (0..<count + (isWarm ? 1 : 0)).map { _ in
        try fixtures.scratch.newFolder("open")
      }
      defer { for folder in folders { fixtures.scratch.remove(folder) } }
      for folder in folders {
        for file in files {
          try FileManager.default.copyItem(
            at: file, to: folder.appending(path: file.lastPathComponent))
        }
      }
      let places = folders.map { $0.appending(path: "Defaults.plist").path }
      return try Child.number(["open", "ours", isWarm ? "warm" : "cold"] + places)
    }
  }

  private func openFoundation(_ original: FoundationSettings, isWarm: Bool = true) -> Work {
    { [scratch = fixtures.scratch] count in
      original.userDefaults.synchronize()
      let names = (0..<count + (isWarm ? 1 : 0)).map { _ in "open-\(UUID().uuidString)" }
      defer { for name in names { scratch.remove(scratch.file(ofFoundation: name)) } }
      for name in names {
        try FileManager.default.copyItem(
          at: scratch.file(ofFoundation: original.name), to: scratch.file(ofFoundation: name))
      }
      return try Child.number(["open", "foundation", isWarm ? "warm" : "cold"] + names)
    }
  }
}
