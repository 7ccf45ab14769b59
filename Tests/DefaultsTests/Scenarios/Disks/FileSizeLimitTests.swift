import Foundation
import Harness
import Testing

@testable import Defaults

/// The system's way with a program that goes beyond the limit is to kill it, by SIGXFSZ.
@Suite("A limit of the file size")
struct FileSizeLimitTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("What is longer stays in memory, the old state on the disk; it is stored without the limit")
  func limit() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let process = try OpenSuite(path)
      process.set("old", "x")
      try process.flush(.snapshot)
      let file = try Data(contentsOf: URL(filePath: path))

      letSignalKill(SIGXFSZ)
      try ResourceLimit.fileSize.set(to: 4_000)
      let large = Defaults.PropertyListValue.string(String(repeating: "large ", count: 2_000))
      process.set(large, "x")
      process.set("new", "y")
      #expect(process.entries == ["x": large, "y": "new"])
      #expect(process.health == .readOnly)
      #expect(process.issues.codes == [.unwritable])
      for extent in [Defaults.FlushExtent.durable, .snapshot] {
        process.expectFailure(
          of: extent, at: path + ".journal", because: "File too large. Raise the limit")
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == file)
      let reader = try OpenSuite(path)
      #expect(reader.entries == ["x": "old"])
      reader.kill()

      try ResourceLimit.fileSize.set(to: nil)
      try process.flush()
      #expect(process.health == .intact)
      let next = try OpenSuite(path)
      #expect(next.entries == ["x": large, "y": "new"])
      next.kill()
      try process.flush(.snapshot)
    }
    #expect(try settings.entries()["y"] == "new")
    #expect(
      try settings.folder.names() == [
        SettingsFolder.file, SettingsFolder.journal,
      ])
  }

  @Test("Small changes beyond the limit stay in memory, too, in a journal that others made larger")
  func smallChange() async throws {
    try settings.run { process in
      process.set(.data(Data(count: 5_000)), "x")
      process.set(1, "y")
    }
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      letSignalKill(SIGXFSZ)
      try ResourceLimit.fileSize.set(to: 4_000)
      let process = try OpenSuite(path)
      process.set(2, "y")
      #expect(process.entries["y"] == 2)
      #expect(process.health == .readOnly)
      process.expectFailure(at: path + ".journal", because: "File too large")
      process.kill()
    }
    #expect(try settings.found()["y"] == 1)
  }

  @Test("The signal goes on to be the program's: its own files raise it, and what waits stays")
  func programsSignal() async throws {
    await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = settings.path as String] in
      letSignalKill(SIGXFSZ)
      try ResourceLimit.fileSize.set(to: 4_000)
      let process = try OpenSuite(path)
      process.set(.data(Data(count: 5_000)), "x")
      precondition(process.health == .readOnly)
      let number = open(path + ".other", O_RDWR | O_CREAT, 0o600)
      _ = pwrite(number, "x", 1, 5_000)
    }
  }

  @Test("A suite that grew to the limit keeps changes in memory, and stores them without the limit")
  func grown() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let process = try OpenSuite(path)
      process.set(.data(Data(count: 3_900)), "x")
      try process.flush(.snapshot)
      let file = try Data(contentsOf: URL(filePath: path))
      letSignalKill(SIGXFSZ)
      try ResourceLimit.fileSize.set(to: 4_000)
      process.set(.data(Data(count: 2_000)), "y")
      #expect(process.health == .readOnly)
      process.expectFailure(of: .snapshot, because: "File too large")
      #expect(try Data(contentsOf: URL(filePath: path)) == file)
      try ResourceLimit.fileSize.set(to: nil)
      try process.flush(.snapshot)
    }
    #expect(
      try settings.entries() == ["x": .data(Data(count: 3_900)), "y": .data(Data(count: 2_000))])
  }
}
