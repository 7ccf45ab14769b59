import Defaults
import Foundation
import Testing

@Suite("The previous generation of a file")
struct PreviousGenerationTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// A file with `a` and `b`, of which the previous generation had `a` alone, and a journal with
  /// `c`; whoever wrote all that is dead.
  private func prepare() throws {
    try settings.run { process in
      process.set("first", "a")
      try process.flush(.snapshot)
      process.set("second", "b")
      try process.flush(.snapshot)
      process.set("journal", "c")
    }
  }

  @Test("One is kept, and it is always the file before the present one")
  func onlyOne() throws {
    let process = try settings.open()
    for number in 1...5 {
      process.set(.integer(Int64(number)), "x")
      try process.flush(.snapshot)
      #expect(try settings.entries() == ["x": .integer(Int64(number))])
      let names = number == 1 ? [] : [SettingsFolder.backup]
      #expect(try folder.names() == [SettingsFolder.file] + names + [SettingsFolder.journal])
      if number == 1 { continue }
      #expect(
        try settings.entries(of: SettingsFolder.backup) == ["x": .integer(Int64(number - 1))])
    }
  }

  @Test("A file that somebody else wrote becomes the previous generation as well")
  func foreign() throws {
    let process = try settings.open()
    process.set(1, "x")
    try process.flush(.snapshot)
    try settings.edit(["x": 2, "y": 2])
    process.set(3, "z")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 2, "y": 2, "z": 3])
    #expect(try settings.entries(of: SettingsFolder.backup) == ["x": 2, "y": 2])
  }

  @Test("It is loaded in place of a damaged file, with the journal over it; an issue names both")
  func recovery() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    let process = try settings.open()
    // The journal says what was new in the damaged file.
    #expect(process.entries == ["a": "first", "b": "second", "c": "journal"])
    #expect(process.health == .recoveredFromBackup)
    #expect(process.issues.codes == [.setAside])
    let issue = try #require(process.issues.last)
    let aside = try #require(try settings.setAside().first)
    #expect(issue.error.path == settings.path)
    #expect(issue.description.contains(folder[aside]))
    #expect(issue.description.contains(folder[SettingsFolder.backup]))
    #expect(try folder.text(of: aside) == "damaged")
  }

  @Test("After a recovery the file is sound at once, and the next process starts from it")
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

  @Test("A damaged file never takes its place")
  func neverDamaged() throws {
    try prepare()
    for round in 1...3 {
      try settings.overwrite(with: "damaged \(round)")
      let process = try settings.open()
      process.set(.integer(Int64(round)), "round")
      try process.flush(.snapshot)
      let backup = try settings.entries(of: SettingsFolder.backup)
      #expect(backup["a"] == "first")
      #expect(process.entries["a"] == "first")
    }
    #expect(try settings.setAside().map(folder.text) == (1...3).map { "damaged \($0)" })
  }

  @Test("A damaged file that is found by a running process doesn't take its place either")
  func neverDamagedWhileRunning() throws {
    try prepare()
    let process = try settings.open()
    try settings.overwrite(with: "damaged")
    process.set(1, "d")
    try process.flush(.snapshot)
    // Memory had everything.
    let all: [String: Defaults.PropertyListValue] = [
      "a": "first", "b": "second", "c": "journal", "d": 1,
    ]
    #expect(process.entries == all)
    #expect(try settings.entries() == all)
    #expect(try settings.entries(of: SettingsFolder.backup) == ["a": "first"])
    #expect(try settings.setAside().map(folder.text) == ["damaged"])
  }

  @Test("Two processes agree after one of them had to recover what the other one knew")
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

  @Test("Without a previous generation, or with a damaged one, the journal alone is left")
  func startedEmpty() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    try settings.overwrite(SettingsFolder.backup, with: "damaged, too")
    let process = try settings.open()
    #expect(process.entries == ["b": "second", "c": "journal"])
    #expect(process.health == .startedEmpty)
    #expect(process.issues.codes == [.setAside])
    #expect(try settings.setAside().map(folder.text) == ["damaged"])
    process.set(1, "d")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["b": "second", "c": "journal", "d": 1])
    // A sound generation has taken the place of the damaged one.
    #expect(try settings.entries(of: SettingsFolder.backup) == ["b": "second", "c": "journal"])
  }

  @Test("It isn't loaded in place of a file that somebody deleted")
  func deletedFile() throws {
    try prepare()
    try settings.remove(SettingsFolder.file)
    let process = try settings.open()
    #expect(process.entries == ["c": "journal"])
    #expect(process.health == .intact)
  }
}
