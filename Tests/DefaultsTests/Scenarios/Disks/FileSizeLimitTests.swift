import Foundation
import Harness
import TestSupport
import Testing

@testable import Defaults

/// By default the system kills a program that exceeds the limit, with SIGXFSZ.
@Suite("File size limit of the system", .prompt)
struct FileSizeLimitTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("A change beyond the file size limit stays in memory and is stored without the limit")
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

  @Test("A small change stays in memory if another process's journal exceeds the file size limit")
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

  @Test("SIGXFSZ still ends the program for its own files, and waiting changes stay in memory")
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

  @Test("A suite that grew to the file size limit keeps changes in memory, then stores them")
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
