import Foundation
import Testing

@testable import Defaults

@Suite("Edits of the file during operations of programs")
struct EditorRaceTests {
  let settings: SettingsFolder
  let twins: TwinSuites

  init() throws {
    settings = try SettingsFolder()
    twins = try TwinSuites()
  }

  @Test(
    "A file that is saved during a snapshot is merged, at whichever call the save happens")
  func anyCall() throws {
    for number in 1...200 where try !isDone(savingAt: number) { return }
    Issue.record("A snapshot makes more than 200 calls")
  }

  /// Saves a file at a call of a snapshot; returns false if that call wasn't made.
  private func isDone(savingAt number: Int) throws -> Bool {
    let settings = try SettingsFolder()
    let process = try settings.open()
    process.set("light", "theme")
    process.set(5, "volume")
    try process.flush(.snapshot)
    process.set(6, "volume")
    let start = process.disk.count
    let hasSaved = Lock(false)
    process.disk.delay { call in
      guard call.number == start + number else { return }
      hasSaved.withLock { $0 = true }
      #expect(throws: Never.self) { try settings.edit(["theme": "dark", "volume": 5]) }
    }
    try process.flush(.snapshot)
    guard hasSaved.withLock({ $0 }) else { return false }
    try process.suite.transaction { _ in }
    try process.flush(.snapshot)
    #expect(process.entries == ["theme": "dark", "volume": 6], "call \(number)")
    #expect(try settings.entries() == ["theme": "dark", "volume": 6], "call \(number)")
    return true
  }

  @Test(
    "A program that starts later knows the recent file versions of every writer",
    arguments: 1...4)
  func laterProgram(snapshots: Int) throws {
    try settings.run { process in
      for (name, value) in ["theme": "light", "volume": 5] as [String: Defaults.PropertyListValue] {
        process.set(value, name)
      }
      try process.flush(.snapshot)
    }
    for number in 1...snapshots {
      try settings.run { process in
        process.set(.integer(Int64(5 + number)), "volume")
        try process.flush(.snapshot)
      }
    }
    let process = try settings.open()
    try settings.edit(["theme": "dark", "volume": 5])
    try process.flush(.snapshot)
    #expect(process.entries == ["theme": "dark", "volume": .integer(Int64(5 + snapshots))])
  }

  @Test("If a process missed a journal, its changes reach the process through the edited file")
  func skippedJournal() throws {
    let (one, two) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    for name in ["a", "b", "theme"] { one.set(1, forKey: name) }
    try one.flush(.snapshot)
    try two.refresh()
    // The change of `a` is in a journal that the other process never sees, and in no later one.
    one.set(2, forKey: "a")
    try one.flush(.snapshot)
    one.set(2, forKey: "b")
    try one.flush(.snapshot)
    try twins.replaceFile(with: ["a": 2, "b": 2, "theme": 7])
    let a = Defaults.Key("a", default: 0, suite: two)
    try two.update(a) { $0 += 1 }
    try one.transaction { _ in }
    for suite in [one, two] { #expect(suite.entries == ["a": 3, "b": 2, "theme": 7]) }
    #expect(try twins.stored() == ["a": 3, "b": 2, "theme": 7])
  }
}
