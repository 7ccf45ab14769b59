import Foundation
import TestSupport
import Testing

@testable import Defaults

// When a person's edit of the property list is exported again.

extension FileStoreTests {
  @Test("An edit that is merged completely isn't exported again, so that its comments stay")
  func completeEdit() throws {
    let process = try Process(settings, format: .xml)
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    let text = try settings.folder.text(of: SettingsFolder.file)
      .replacing("<key>b</key>", with: "<!-- mine --><key>c</key>")
    try settings.overwrite(with: text)
    try process.suite.refresh()
    #expect(process.entries == ["a": 1, "c": 1])
    try process.suite.flush(.snapshot)
    #expect(try settings.folder.text(of: SettingsFolder.file) == text)
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2, "c": 1])
  }

  @Test("An edit is exported again if a setting was changed since the edited version")
  func mergedEdit() throws {
    let process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try settings.edit(["a": 1, "b": 3])
    try process.suite.refresh()
    #expect(process.entries == ["a": 2, "b": 3])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2, "b": 3])
  }

  @Test("A property list that was deleted isn't exported without settings")
  func deletedFile() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.remove(SettingsFolder.file)
    try process.suite.refresh()
    #expect(process.entries.isEmpty)
    try process.suite.flush(.snapshot)
    #expect(!FileManager.default.fileExists(atPath: settings.path))
  }

  /// Puts an export in place, but doesn't record that, as if the process was killed in between.
  func exportWithoutRecord(_ process: Process) {
    process.disk.fail(with: .EIO) { [path = settings.folder.path] call in
      call.operation == .synchronize && call.path == path
    }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    process.disk.heal()
  }

  @Test("A value that was changed and changed back is exported if it was exported in between")
  func unplacedExport() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    exportWithoutRecord(process)
    #expect(try settings.entries() == ["a": 2])
    process.set(1, "a")
    let next = try open()
    #expect(next.entries == ["a": 1])
    try next.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1])
  }

  @Test("A suite that becomes empty is exported if its first export may be in place")
  func firstUnplacedExport() throws {
    let process = try open()
    process.set(1, "a")
    exportWithoutRecord(process)
    #expect(try settings.entries() == ["a": 1])
    let next = try open()
    next.suite.write(.remove, named: "a")
    try next.suite.flush(.snapshot)
    #expect(try settings.entries() == [:])
  }

  @Test("A file is XML again after a person has removed the entry that XML can't represent")
  func removedInFile() throws {
    let process = try Process(settings, format: .xml)
    let other = try Process(settings, format: .binary)
    process.set(1, "a")
    other.set(.date(Date(timeIntervalSinceReferenceDate: 0.5)), "d")
    try process.suite.flush(.snapshot)
    #expect(process.suite.persistence.health == .savedAsBinary)
    try Defaults.PropertyListFormat.binary.encode(["a": 1])
      .write(to: settings.folder.url(SettingsFolder.file), options: .atomic)
    try process.suite.refresh()
    try process.suite.flush(.snapshot)
    #expect(process.suite.persistence.health == .intact)
    #expect(try settings.folder.text(of: SettingsFolder.file).hasPrefix("<?xml"))
  }

  @Test("A copy of the file that is put back in the place of a damaged file ends the damage")
  func copyAfterDamage() throws {
    let suite = try openRepaired(IssueLog())
    let (file, copy) = (settings.folder.url(SettingsFolder.file), settings.folder.url("copy"))
    try FileManager.default.copyItem(at: file, to: copy)
    #expect(rename(copy.path, file.path) == 0)
    try suite.refresh()
    #expect(rename(file.path, copy.path) == 0)
    try settings.overwrite(with: "<plist")
    try suite.refresh()
    #expect(rename(copy.path, file.path) == 0)
    suite.write(.set(2), named: "b")
    try suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "b": 2])
  }

  /// Opens the suite of a file that people repair, and exports an entry.
  private func openRepaired(_ issues: IssueLog) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: settings.path), format: .xml, isAutomatic: false, repairsDamage: false,
      onIssue: { issues.append($0) })
    start()
    suite.write(.set(1), named: "a")
    try suite.flush(.snapshot)
    return suite
  }

  @Test("A damaged file that a person deletes doesn't prevent later exports")
  func deletedDamage() throws {
    let suite = try openRepaired(IssueLog())
    try settings.overwrite(with: "<plist")
    try suite.refresh()
    try settings.remove(SettingsFolder.file)
    try suite.refresh()
    suite.write(.set(2), named: "b")
    try suite.flush(.snapshot)
    #expect(try settings.entries() == ["b": 2])
  }

  @Test("A file that is saved again doesn't undo newer sets when the log is destroyed")
  func savedBeforeDamage() throws {
    let process = try open()
    for name in ["a", "x"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    process.suite.write(.remove, named: "x")
    try settings.edit(["a": 1, "x": 1, "b": 3])
    setModificationTime(time(nil) + 1)
    try settings.overwrite(SettingsFolder.journal, with: String(repeating: "x", count: 10_000))
    process.set(4, "d")
    let entries: [String: Defaults.PropertyListValue] = ["a": 2, "b": 3, "d": 4]
    try process.suite.flush(.snapshot)
    #expect(process.entries == entries)
    #expect(try settings.entries() == entries)
  }

  @Test("Damage that a person repaired and makes again is reported again")
  func repeatedDamage() throws {
    let issues = IssueLog()
    let suite = try openRepaired(issues)
    let text = try settings.folder.text(of: SettingsFolder.file)
    for content in ["<plist", text, "<plist"] {
      try settings.overwrite(with: content)
      try suite.refresh()
    }
    #expect(issues.codes == [.malformed, .malformed])
  }
}
