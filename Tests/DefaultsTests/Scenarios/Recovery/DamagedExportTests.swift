import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Damaged property list with an intact log")
struct DamagedExportTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// A file with `a` and `b`, and a log that also has `c`; their writer was killed.
  private func prepare() throws {
    try settings.run { process in
      process.set("first", "a")
      try process.flush(.snapshot)
      process.set("second", "b")
      try process.flush(.snapshot)
      process.set("journal", "c")
    }
  }

  @Test(
    "With a damaged file, all settings come from the log, and the issue has the quarantined path")
  func recovery() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    let process = try settings.open()
    #expect(process.entries == ["a": "first", "b": "second", "c": "journal"])
    #expect(process.health == .recoveredFromJournal)
    #expect(process.issues.codes == [.quarantined])
    let issue = try #require(process.issues.last)
    let aside = try #require(try settings.setAside().first)
    #expect(issue.error.path == settings.path)
    #expect(issue.description.contains(folder[aside]))
    #expect(try folder.text(of: aside) == "damaged")
  }

  @Test("After a recovery the file is repaired at once, and the next process reads it")
  func repaired() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    #expect(try settings.found() == ["a": "first", "b": "second", "c": "journal"])
    #expect(try settings.entries() == ["a": "first", "b": "second", "c": "journal"])
    let next = try settings.open()
    #expect(next.health == .intact)
    #expect(next.issues.count == 0)
    #expect(next.entries == ["a": "first", "b": "second", "c": "journal"])
    #expect(try settings.setAside().count == 1)
  }

  @Test("Each of several damaged files is kept, and no setting is lost")
  func neverDamaged() throws {
    try prepare()
    for round in 1...3 {
      try settings.overwrite(with: "damaged \(round)")
      let process = try settings.open()
      process.set(.integer(Int64(round)), "round")
      try process.flush(.snapshot)
      #expect(process.entries["a"] == "first")
    }
    #expect(try settings.setAside().map(folder.text) == (1...3).map { "damaged \($0)" })
  }

  @Test("A running process that finds a damaged file has all settings and keeps the file")
  func neverDamagedWhileRunning() throws {
    try prepare()
    let process = try settings.open()
    try settings.overwrite(with: "damaged")
    process.set(1, "d")
    try process.flush(.snapshot)
    let all: [String: Defaults.PropertyListValue] = [
      "a": "first", "b": "second", "c": "journal", "d": 1,
    ]
    #expect(process.entries == all)
    #expect(try settings.entries() == all)
    let copies = try settings.setAside()
    #expect(try copies.map(folder.text) == ["damaged"])
    // The person who edited the file finds the edit.
    #expect(process.issues.codes == [.malformed, .quarantined])
    #expect(process.issues.all.last?.error.reason.contains(folder[copies[0]]) == true)
    #expect(process.issues.all.last?.error.path == settings.path)
  }

  @Test("Two processes agree after one of them recovered entries that the other process knew")
  func twoProcesses() throws {
    try prepare()
    let running = try settings.open()
    try settings.overwrite(with: "damaged")
    let later = try settings.open()
    later.set(1, "later")
    running.set(2, "running")
    try running.flush(.snapshot)
    later.set(3, "later")
    try later.flush(.snapshot)
    try running.suite.transaction { _ in }
    #expect(running.entries == later.entries)
    #expect(try settings.entries() == running.entries)
    #expect(running.entries["running"] == 2)
    #expect(running.entries["later"] == 3)
  }

  @Test("With a damaged file and a damaged log, a suite starts empty, and both are quarantined")
  func startedEmpty() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    try settings.overwrite(SettingsFolder.journal, with: "damaged, too")
    let process = try settings.open()
    #expect(process.entries == [:])
    #expect(process.health == .startedEmpty)
    #expect(process.issues.codes.contains(.quarantined))
    #expect(try settings.setAside().map(folder.text) == ["damaged"])
    process.set(1, "d")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["d": 1])
    #expect(try settings.setAside(of: SettingsFolder.journal).map(folder.text) == ["damaged, too"])
  }

  @Test("A file that ends in .backup belongs to the user and is neither read nor written")
  func backup() throws {
    try folder.write("mine", to: SettingsFolder.file + ".backup")
    try prepare()
    try settings.overwrite(with: "damaged")
    #expect(try settings.found() == ["a": "first", "b": "second", "c": "journal"])
    #expect(try folder.text(of: SettingsFolder.file + ".backup") == "mine")
    let other = try OpenSuite(folder["other.plist.backup"])
    let main = try OpenSuite(folder["other.plist"])
    other.set("its own", "x")
    for number in 1...3 as ClosedRange<Int64> {
      main.set(.integer(number), "y")
      try main.flush(.snapshot)
    }
    try other.flush(.snapshot)
    #expect(try settings.entries(of: "other.plist.backup") == ["x": "its own"])
    other.kill()
    main.kill()
  }

  @Test("Deleting the file removes its settings and keeps settings that only the journal has")
  func deletedFile() throws {
    try prepare()
    try settings.remove(SettingsFolder.file)
    let process = try settings.open()
    #expect(process.entries == ["c": "journal"])
    #expect(process.health == .intact)
  }
}
