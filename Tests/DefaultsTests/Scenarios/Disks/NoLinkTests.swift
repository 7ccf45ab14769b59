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

  @Test(
    "Without hard links, a journal that another process creates at the same time isn't replaced",
    arguments: refusals, [FaultyFileSystem.Operation.status, .create, .move, .exchange, .lock])
  func sameTime(refusal: POSIXErrorCode, step: FaultyFileSystem.Operation) throws {
    let (disk, others) = (FaultyFileSystem(), Log<Defaults.PropertyListValue>())
    let isRefused = Log<Void>()
    disk.fail(with: refusal) { [folder] call in
      guard [.addName, .exchange].contains(call.operation) else { return false }
      if call.path == folder[SettingsFolder.journal] { isRefused.append(()) }
      return true
    }
    disk.delay { [settings, folder] call in
      guard isRefused.count > 0, others.count == 0, call.operation == step,
        call.path == folder[SettingsFolder.journal]
      else { return }
      others.append(0)
      // Another process without hard links creates the journal, or waits for its lock.
      let other = FaultyFileSystem()
      other.fail(with: refusal) { [.addName, .exchange].contains($0.operation) }
      let suite = try? FileStore.open(
        StoredFile(path: settings.path, on: other), isAutomatic: false,
        timeouts: LockTimeouts(setter: .zero, exact: .zero, exit: .zero), onIssue: { _ in }
      ).suite
      guard let suite else { return }
      let isStored: Void? = try? suite.update(Defaults.Key("other", default: 0, suite: suite)) {
        $0 += 2
      }
      if isStored != nil { others.append(2) }
      other.fail(with: .EIO)
    }
    let process = try settings.open(on: disk)
    process.set(1, "own")
    process.kill()
    #expect(isRefused.count > 0)
    #expect(try settings.found() == (others.count == 2 ? ["own": 1, "other": 2] : ["own": 1]))
    #expect(try folder.names() == [SettingsFolder.journal])
  }

  @Test("Without hard links, the reason why the journal can't be created is reported")
  func failedCreation() throws {
    let disk = FaultyFileSystem()
    disk.fail(with: .EPERM) { [folder] call in
      call.operation == .addName
        || call.operation == .create && call.path == folder[SettingsFolder.journal]
    }
    let process = try settings.open(on: disk)
    process.set(1, "x")
    #expect(process.issues.codes == [.unwritable])
  }

  @Test("Without hard links, an empty journal of a killed process is replaced")
  func killed() throws {
    let disk = FaultyFileSystem()
    disk.fail(with: .EPERM) { $0.operation == .addName }
    disk.delay { [folder] call in
      if call.operation == .lock, call.path == folder[SettingsFolder.journal] {
        disk.fail(with: .EIO)
      }
    }
    let process = try settings.open(on: disk)
    process.set(1, "x")
    #expect(try settings.size(of: SettingsFolder.journal) == 0)
    try settings.run { process in process.set(2, "x") }
    #expect(try settings.found() == ["x": 2])
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

  @Test("If a security policy forbids links, settings are stored")
  func forbiddenLinks() throws {
    let disk = FaultyFileSystem()
    disk.fail(with: .EACCES) { $0.operation == .addName }
    let process = try settings.open(on: disk)
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(process.issues.count == 0)
    #expect(try settings.entries() == ["x": 1])
    #expect(try settings.found() == ["x": 1])
  }
}
