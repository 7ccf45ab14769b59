import Foundation
import TestSupport
import Testing

@testable import Defaults

/// In an append-only folder (`chattr +a`), files can be created, but not removed or renamed.
@Suite("Append-only folders")
struct AppendOnlyFolderTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }
  let disk = FaultyFileSystem()

  init() throws {
    settings = try SettingsFolder()
    disk.fail(with: .EPERM) { [.removeName, .move, .exchange].contains($0.operation) }
  }

  @Test("In an append-only folder, changes are stored, and a set adds neither a file nor a call")
  func sets() throws {
    let normal = try OpenSuite(folder["normal.plist"])
    let process = try settings.open(on: disk)
    for open in [normal, process] { open.set(0, "x") }
    let names = try folder.names()
    // The journals, and the temporary name of one of them.
    #expect(names.count == 3)
    for number in 1...5 as ClosedRange<Int64> {
      let calls = [normal, process].map { process in
        let count = process.disk.count
        process.set(.integer(number), "x")
        return process.disk.count - count
      }
      if number > 1 { #expect(calls[0] == calls[1]) }
    }
    #expect(try folder.names() == names)
    #expect(process.issues.count == 0)
    disk.heal()
    // A process in a folder that allows it removes the temporary name.
    #expect(try settings.found() == ["x": 5])
    #expect(try folder.names().count == 2)
    // A hard link that a person adds then is a copy, which must not change.
    process.set(6, "x")
    #expect(link(folder[SettingsFolder.journal], folder["copy"]) == 0)
    let copy = try Data(contentsOf: folder.url("copy"))
    process.set(7, "x")
    #expect(try Data(contentsOf: folder.url("copy")) == copy)
    process.kill()
    #expect(try settings.found() == ["x": 7])
  }

  @Test("In an append-only folder, the settings are exported once, and later exports throw")
  func exports() throws {
    let process = try settings.open(on: disk)
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 1])
    process.set(2, "x")
    for _ in 1...3 {
      process.expectFailure(
        of: .snapshot, at: settings.path, because: "can't be saved: Operation not permitted")
      // The two files with a temporary name each, and the temporary file of the first failure.
      #expect(try folder.names().count == 5)
    }
    #expect(try settings.entries() == ["x": 1])
    // When the folder isn't append-only anymore, this process continues.
    disk.heal()
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 2])
    process.kill()
    #expect(try settings.found() == ["x": 2])
    #expect(try folder.names() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("In an append-only folder, changes are stored even if the journal has a hard link")
  func hardLink() throws {
    try settings.run { process in process.set(0, "x") }
    #expect(link(folder[SettingsFolder.journal], folder["copy"]) == 0)
    let process = try settings.open(on: disk)
    for number in 1...5 as ClosedRange<Int64> { process.set(.integer(number), "x") }
    // One attempt to replace the journal left a file.
    #expect(try folder.names().count == 3)
    #expect(process.issues.count == 0)
    process.kill()
    #expect(try settings.found() == ["x": 5])
  }
}
