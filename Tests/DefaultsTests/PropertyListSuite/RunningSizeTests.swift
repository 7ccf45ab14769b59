import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Running total of entry sizes")
struct RunningSizeTests {
  private static let samples: [Defaults.PropertyListValue?] = [
    nil, true, 1, 1.5, "text", "é\u{1F600}", .data(Data(count: 100)), .date(.distantPast), [],
    [1, ["a"]], ["k": 1, "é": ["x": true]],
  ]

  /// The total size, computed from all entries.
  private func walk(_ entries: [String: Defaults.PropertyListValue]) -> Int {
    entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.encodedSize }
  }

  @Test(
    "After any sequence of changes, holds and releases, the running total of sizes is exact",
    arguments: 1...20 as ClosedRange<UInt64>)
  func changes(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var entries = Entries(["start": [1, 2], "n0": "old"])
    #expect(entries.size == walk(entries.all))
    for _ in 0..<400 {
      let name = "n\(Int.random(in: 0..<12, using: &random))"
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = entries.hold()
      case 1: entries.release()
      default: entries[name] = Self.samples[Int.random(in: 0..<11, using: &random)]
      }
      #expect(entries.size == walk(entries.all))
    }
  }

  @Test("Sets, transactions, external edits and snapshots keep the running total exact")
  func suite() throws {
    let settings = try SettingsFolder()
    let process = try settings.open()
    let store = try #require(process.suite.persistence as? FileStore)
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(process.suite.table.size == walk(process.entries), sourceLocation: sourceLocation)
    }
    process.set("text", "a")
    check()
    try process.suite.setEntries(["a": 1, "b": [1, 2, 3], "c": ["x": "y"]])
    check()
    _ = store.state.withLock { $0.fold.hold() }
    process.set("longer text", "b")
    process.suite.removeEntry(named: "c")
    check()
    store.state.withLock { $0.release() }
    try process.flush(.snapshot)
    check()
    try settings.edit(["a": "edited", "d": .data(Data(count: 50))])
    try process.flush(.snapshot)
    #expect(process.entries["a"] == "edited")
    check()
    process.suite.removeAll()
    #expect(process.suite.table.size == 0)
  }

  @Test("Entries that an edit made too large can become smaller in several steps, but not larger")
  func tooLarge() throws {
    let part = Defaults.PropertyListValue.data(Data(count: Defaults.SizeLimit.suite / 3))
    let entries = Entries(["a": part, "b": part, "c": part, "d": part, "e": part])
    func require(_ edit: Defaults.Edit) throws {
      let change = try #require(entries.change(edit, named: "a"))
      try Entries.requireRoom(for: [change], after: entries.size, path: "")
    }
    try require(.remove)
    try require(.set(1))
    #expect(throws: Defaults.SuiteError.self) {
      try require(.set(.data(Data(count: Defaults.SizeLimit.suite / 3 + 1))))
    }
  }

  @Test("Replacing or removing a value frees its size, all of which another value can take")
  func room() throws {
    // On the table: a file of this size takes Foundation seconds. `SizeLimitTests` has a file.
    let table = EntryTable([:], Defaults.SuiteSupport(label: "sizes"))
    func commit(_ edit: Defaults.Edit, to name: String) throws {
      let changes = table.changes([name: edit])
      try Entries.requireRoom(for: changes, after: table.size, path: "")
      try table.withWriter { table.commit(changes) }
    }
    let third = Defaults.Edit.set(.data(Data(count: Defaults.SizeLimit.suite / 3)))
    for name in ["a", "b"] { try commit(third, to: name) }
    #expect(throws: Defaults.SuiteError.self) { try commit(third, to: "c") }
    #expect(table.entry(named: "c") == nil)
    try commit(.set(1), to: "a")
    try commit(third, to: "c")
    #expect(throws: Defaults.SuiteError.self) { try commit(third, to: "d") }
    try commit(.remove, to: "b")
    try commit(third, to: "d")
    let empty = Defaults.PropertyListValue.data(Data())
    let rest = Defaults.SizeLimit.suite - table.size - Entries.size(of: empty, named: "e")
    #expect(throws: Defaults.SuiteError.self) {
      try commit(.set(.data(Data(count: rest + 1))), to: "e")
    }
    try commit(.set(.data(Data(count: rest))), to: "e")
  }
}
