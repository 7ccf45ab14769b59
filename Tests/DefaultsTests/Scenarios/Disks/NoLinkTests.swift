import Foundation
import TestSupport
import Testing

@testable import Defaults

/// FAT and some network file systems have no hard links.
@Suite("File systems without hard links")
struct NoLinkTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  static let refusals: [POSIXErrorCode] = [.EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK]

  @Test("Without hard links, a damaged file is quarantined as a copy, and the log has all settings")
  func setAside() throws {
    try settings.run { process in
      for number in 1...2 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(.snapshot)
      }
    }
    try settings.overwrite(with: "damaged")
    let disk = FaultyFileSystem()
    disk.fail(with: .EOPNOTSUPP) { $0.operation == .addName }
    let process = try settings.open(on: disk)
    #expect(process.entries == ["x": 2])
    #expect(process.health == .recoveredFromJournal)
    process.set(3, "y")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 2, "y": 3])
    #expect(try settings.setAside().map(folder.text).allSatisfy { $0 == "damaged" })
    #expect(try !settings.setAside().isEmpty)
  }

  @Test("A quarantined copy never replaces one of the same name by another process")
  func takenName() throws {
    try folder.write("damaged", to: "file")
    let content = try #require(try StoredFile(path: folder["file"]).read())
    let disk = FaultyFileSystem()
    disk.fail(with: .EOPNOTSUPP) { [folder] call in
      guard call.operation == .addName else { return false }
      if !call.path.contains("Z-") {
        try? folder.write("other", to: "file.corrupt-20260131T235959Z")
      }
      return true
    }
    let aside = try StoredFile(path: folder["file"], on: disk).setAside(
      content, now: Date(timeIntervalSince1970: 1_769_903_999))
    #expect(aside == folder["file.corrupt-20260131T235959Z-2"])
    #expect(try folder.text(of: "file.corrupt-20260131T235959Z") == "other")
    #expect(try folder.text(of: "file.corrupt-20260131T235959Z-2") == "damaged")
  }
}
