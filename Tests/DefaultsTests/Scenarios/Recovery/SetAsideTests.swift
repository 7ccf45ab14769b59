import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Quarantined files")
struct SetAsideTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  @Test("At most the five newest quarantined files are kept")
  func fiveFiles() throws {
    for round in 1...8 {
      try settings.overwrite(with: "damaged \(round)")
      let process = try settings.open()
      process.set(.integer(Int64(round)), "x")
      try process.flush(.snapshot)
      #expect(try settings.setAside().count == min(round, 5))
    }
    #expect(try settings.setAside().map(folder.text) == (4...8).map { "damaged \($0)" })
    #expect(try settings.entries() == ["x": 8])
  }

  @Test("At most the five newest quarantined journals are kept, in addition to quarantined files")
  func fiveJournals() throws {
    try settings.overwrite(with: "damaged")
    for round in 1...8 {
      try settings.run { process in
        process.set(.integer(Int64(round)), "x")
        try process.flush(.snapshot)
      }
      try settings.flip(byte: 10 + round, of: SettingsFolder.journal)
      try settings.run { $0.set(0, "y") }
      #expect(try settings.setAside(of: SettingsFolder.journal).count == min(round, 5))
    }
    #expect(try settings.setAside().count == 1)
  }

  @Test("The quarantined file that an issue names exists, though five others have later names")
  func clockSetBack() throws {
    for day in 1...5 {
      try folder.write("later", to: "\(SettingsFolder.file).corrupt-2099010\(day)T000000Z")
    }
    try settings.overwrite(with: "damaged")
    let process = try settings.open()
    #expect(process.issues.codes == [.quarantined])
    let name = try #require(settings.setAside().first { !$0.contains("corrupt-2099") })
    #expect(process.issues.last?.error.reason.contains(folder[name]) == true)
    #expect(try folder.text(of: name) == "damaged")
    #expect(try settings.setAside().count == 5)
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(try folder.text(of: name) == "damaged")
  }

  @Test("A damaged journal is quarantined, though five quarantined journals have later names")
  func clockSetBackForJournal() throws {
    try settings.run { process in
      process.set(1, "x")
      try process.flush(.snapshot)
    }
    for day in 1...5 {
      try folder.write("later", to: "\(SettingsFolder.journal).corrupt-2099010\(day)T000000Z")
    }
    try settings.flip(byte: 10, of: SettingsFolder.journal)
    let damaged = try Data(contentsOf: folder.url(SettingsFolder.journal))
    try settings.run { $0.set(2, "x") }
    let kept = try settings.setAside(of: SettingsFolder.journal)
    #expect(kept.count == 5)
    let name = try #require(kept.first { !$0.contains("corrupt-2099") })
    #expect(try Data(contentsOf: folder.url(name)) == damaged)
  }

  @Test("Repeatedly opening a damaged file that can't be repaired quarantines it once")
  func once() throws {
    try settings.overwrite(with: "damaged")
    for _ in 0..<3 {
      let disk = FaultyFileSystem()
      // The file can't be replaced.
      disk.fail(with: .ENOSPC) { $0.operation == .create || $0.operation == .write }
      let process = try settings.open(on: disk)
      #expect(process.entries == [:])
      #expect(process.issues.codes.first == .quarantined)
      process.kill()
    }
    #expect(try settings.setAside().map(folder.text) == ["damaged"])
    #expect(try folder.text(of: SettingsFolder.file) == "damaged")
  }

  @Test("A damaged file that can't be quarantined stays in place and isn't overwritten")
  func impossible() throws {
    try settings.overwrite(with: "damaged")
    let disk = FaultyFileSystem()
    disk.fail(with: .EIO) { $0.operation == .addName && $0.path.contains(".corrupt-") }
    let process = try settings.open(on: disk)
    process.set(1, "x")
    process.expectFailure(of: .snapshot, at: settings.path)
    #expect(try folder.text(of: SettingsFolder.file) == "damaged")
    #expect(process.entries == ["x": 1])
    #expect(try settings.entriesInJournal() == ["x": 1])
    disk.heal()
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 1])
    #expect(try settings.setAside().map(folder.text) == ["damaged"])
  }

  @Test("A damaged edit changes nothing and is quarantined before the next snapshot")
  func handEdit() throws {
    let process = try settings.open()
    process.set(1, "x")
    try process.flush(.snapshot)
    try settings.overwrite(with: "<plist><dict><key>x</key>")
    #expect(throws: Never.self) { try process.flush() }
    #expect(process.entries == ["x": 1])
    #expect(try settings.setAside() == [])
    try process.flush(.snapshot)
    #expect(process.issues.codes == [.malformed, .quarantined])
    #expect(process.issues.last?.error.path == settings.path)
    #expect(process.entries == ["x": 1])
    #expect(process.health == .intact)
    #expect(try settings.setAside().map(folder.text) == ["<plist><dict><key>x</key>"])
    #expect(try settings.entries() == ["x": 1])
  }

  @Test("A damaged edit that is corrected is merged and not quarantined")
  func correctedEdit() throws {
    let process = try settings.open(isAutomatic: true)
    try process.suite.postponeExports()
    process.set(1, "x")
    try process.flush(.snapshot)
    try settings.overwrite(with: "<plist><dict><key>x</key>")
    process.set(2, "y")
    try settings.edit(["x": 3])
    try process.flush(.snapshot)
    #expect(process.entries == ["x": 3, "y": 2])
    #expect(try settings.setAside() == [])
  }

  @Test("A damaged edit that is corrected during an export is merged and not quarantined")
  func correctedDuringExport() throws {
    let disk = FaultyFileSystem()
    let process = try OpenSuite(settings.path, on: disk)
    process.set(1, "x")
    try process.flush(.snapshot)
    try settings.overwrite(with: "<plist><dict><key>x</key>")
    process.set(2, "y")
    let (files, syncs) = (Log<Void>(), Log<Void>())
    disk.delay { [settings] call in
      if call.operation == .create { files.append(()) }
      // The sync of the journal before the new file gets its name.
      guard call.operation == .synchronize, call.path.hasSuffix(SettingsFolder.journal),
        files.count == 1, syncs.count == 0
      else { return }
      syncs.append(())
      #expect(throws: Never.self) { try settings.edit(["x": 3]) }
    }
    try process.flush(.snapshot)
    #expect(syncs.count == 1)
    #expect(process.entries == ["x": 3, "y": 2])
    #expect(process.issues.codes == [.malformed])
    #expect(try settings.setAside() == [])
  }

  @Test("A damaged edit that must be repaired isn't replaced, even if an export has begun before")
  func damagedDuringExport() throws {
    let disk = FaultyFileSystem()
    let issues = IssueLog()
    let (suite, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false, repairsDamage: false,
      onIssue: { issues.append($0) })
    suite.write(.set(1), named: "x")
    try suite.flush(.snapshot)
    suite.write(.set(2), named: "x")
    let files = Log<Void>()
    disk.delay { [settings] call in
      guard call.operation == .create else { return }
      files.append(())
      guard files.count == 1 else { return }
      #expect(throws: Never.self) { try settings.overwrite(with: "<plist><dict>") }
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush(.snapshot) }
    #expect(error?.code == .malformed)
    #expect(files.count == 1)
    #expect(issues.codes == [.malformed])
    #expect(try settings.folder.text(of: SettingsFolder.file) == "<plist><dict>")
    #expect(try settings.setAside() == [])
  }
}

extension SettingsFolder {
  /// The entries of the journal alone.
  fileprivate func entriesInJournal() throws -> [String: Defaults.PropertyListValue] {
    let log = LoadedLog(Array(try Data(contentsOf: folder.url(Self.journal))), path: "journal")
    try #require(log.isSound)
    return log.fold.values
  }
}
