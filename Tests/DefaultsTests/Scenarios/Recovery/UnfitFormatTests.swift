import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("XML files with entries that XML can't hold")
struct UnfitFormatTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  private var format: Defaults.PropertyListFormat? {
    get throws {
      Defaults.PropertyListFormat.detect(try Data(contentsOf: URL(filePath: settings.path)))
    }
  }

  /// Has a program that uses the binary format set an entry, or remove it with nil, and exit.
  private func setAsBinary(_ value: Defaults.PropertyListValue?, _ name: String) throws {
    let disk = FaultyFileSystem()
    let (suite, start) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), format: .binary, isAutomatic: false,
      onIssue: { _ in })
    start()
    suite.write(Edit(entry: value), named: name)
    // A killed program writes no property list.
    disk.fail(with: .EIO)
  }

  @Test("An entry that XML can't hold makes the file binary, with one issue, and health reports it")
  func savedAsBinary() throws {
    try settings.edit(["a": 1])
    let process = try settings.open()
    #expect(try format == .xml)
    try setAsBinary("\u{1}", "unfit")
    try process.suite.refresh()
    try process.flush(.snapshot)
    #expect(try format == .binary)
    #expect(try settings.entries() == ["a": 1, "unfit": "\u{1}"])
    #expect(process.health == .savedAsBinary)
    #expect(process.issues.codes == [.unrepresentable])
    #expect(process.issues.last?.error.reason.contains("unfit") == true)
    #expect(process.issues.last?.error.path == settings.path)
    process.set(2, "a")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2, "unfit": "\u{1}"])
    #expect(process.issues.count == 1)
    #expect(process.health == .savedAsBinary)
    // Also after a failed set, whose success ends all issues.
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(3, "a")
    process.disk.heal()
    process.set(4, "a")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 4, "unfit": "\u{1}"])
    #expect(process.issues.codes == [.unrepresentable, .unwritable])
  }

  @Test("The file is XML again after the entry that XML can't hold was removed")
  func xmlAgain() throws {
    try settings.edit(["a": 1])
    let process = try settings.open()
    try setAsBinary("\u{1}", "unfit")
    try process.suite.refresh()
    try process.flush(.snapshot)
    process.suite.removeEntry(named: "unfit")
    try process.flush(.snapshot)
    #expect(try format == .xml)
    #expect(process.health == .intact)
    #expect(try settings.entries() == ["a": 1])
    try setAsBinary(.real(-0.0), "b")
    try process.flush(.snapshot)
    #expect(process.health == .savedAsBinary)
    // Another entry is another issue.
    #expect(process.issues.codes == [.unrepresentable, .unrepresentable])
  }

  @Test("A suite that writes XML still rejects a set of a value that XML can't hold")
  func rejectedSet() throws {
    try settings.edit(["a": 1])
    let process = try settings.open()
    let error = #expect(throws: Defaults.SuiteError.self) {
      try process.suite.setEntries(["b": "\u{1}"])
    }
    #expect(error?.code == .unrepresentable)
    try process.flush(.snapshot)
    #expect(try format == .xml)
    #expect(process.health == .intact)
  }
}
