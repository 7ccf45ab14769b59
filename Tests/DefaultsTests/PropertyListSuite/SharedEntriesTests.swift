import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Entries that the log's state and memory share")
struct SharedEntriesTests {
  private let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("A copy of entries is recognized as a copy until the copy or the original changes")
  func copies() {
    var entries = Entries(["a": 1])
    var copy = entries
    #expect(copy.isCopy(of: entries))
    copy["a"] = 2
    #expect(!copy.isCopy(of: entries))
    copy = entries
    entries["a"] = 1
    #expect(!copy.isCopy(of: entries))
    #expect(copy == entries)
  }

  @Test("Sets, external edits, exports and changes of other processes keep the entries shared")
  func sharing() throws {
    try settings.edit(["start": 1])
    let process = try settings.open()
    #expect(try process.isSharing)
    process.set(2, "a")
    #expect(try process.isSharing)
    try process.suite.setEntries(["a": 3, "b": [1]])
    process.suite.removeEntry(named: "b")
    #expect(try process.isSharing)
    let other = try settings.open()
    #expect(try other.isSharing)
    other.set("other", "c")
    try process.suite.persistence.refresh()
    #expect(try process.isSharing)
    try process.flush(.snapshot)
    #expect(try process.isSharing)
    try settings.edit(["start": 1, "a": "edited", "c": "other"])
    try process.suite.persistence.refresh()
    #expect(process.entries == ["start": 1, "a": "edited", "c": "other"])
    #expect(try process.isSharing)
    try other.suite.persistence.refresh()
    #expect(other.entries == process.entries)
    #expect(try other.isSharing)
    #expect(try settings.found() == process.entries)
  }

  @Test("A set during an export doesn't change the exported entries, and is shared afterwards")
  func held() throws {
    let process = try settings.open()
    process.set(1, "a")
    let store = try #require(process.suite.persistence as? FileStore)
    let held = store.state.withLock { $0.fold.hold() }
    process.set(2, "a")
    process.set(1, "b")
    #expect(held == ["a": 1])
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(try process.isSharing)
    store.state.withLock { $0.release() }
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(try process.isSharing)
  }

  @Test(
    "Changes that wait in memory aren't in the log's state, and are shared when they are stored")
  func waiting() throws {
    let process = try settings.open()
    process.set(1, "a")
    process.disk.fail(with: .ENOSPC)
    process.set(2, "a")
    #expect(process.entries == ["a": 2])
    let store = try #require(process.suite.persistence as? FileStore)
    #expect(store.state.withLock { $0.fold.values } == ["a": 1])
    process.disk.heal()
    try process.flush()
    #expect(store.state.withLock { $0.fold.values } == ["a": 2])
    #expect(try process.isSharing)
  }

  @Test("A replaced journal is read and its entries are shared again")
  func replacedLog() throws {
    let process = try settings.open()
    process.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    let other = try settings.open()
    other.set(2, "b")
    process.set(3, "c")
    #expect(process.entries == ["a": 1, "b": 2, "c": 3])
    #expect(try process.isSharing)
  }

  @Test("A compaction of the journal keeps the entries shared")
  func compaction() throws {
    let process = try settings.open()
    for round in 0..<200 { process.set(.data(Data(count: 1_000 + round)), "a") }
    let before = try settings.endOfRecords()
    try process.flush(.snapshot)
    #expect(try settings.endOfRecords() < before)
    #expect(try process.isSharing)
  }

  @Test("A transaction's body sees one instant while another thread commits several entries")
  func snapshots() async throws {
    let process = try settings.open()
    try process.suite.setEntries(["a": 0, "b": 0])
    let table = process.suite.table
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for value in 1...2_000 as ClosedRange<Int64> {
          _ = try? process.suite.setEntries(["a": .integer(value), "b": .integer(value)])
        }
      }
      group.addTask {
        for _ in 0..<2_000 {
          let snapshot = Snapshot(of: table)
          let first = snapshot.entry(named: "a")
          #expect(snapshot.entry(named: "b") == first)
          snapshot.end()
        }
      }
    }
  }

  @Test("Entries are shared again after a change that waited in memory was dropped")
  func dropped() throws {
    let (process, other) = (try settings.open(), try settings.open())
    process.set(1, "a")
    try process.suite.persistence.refresh()
    process.disk.fail(with: .ENOSPC)
    process.set(2, "a")
    #expect(try !process.isSharing)
    other.set(3, "a")
    process.disk.heal()
    try process.flush()
    #expect(process.entries == ["a": 3])
    #expect(try process.isSharing)
  }

  @Test("A checkpoint keeps the stamp of each entry, shared or not, and of each removal")
  func stamps() {
    var state = LogState.empty
    state.apply(.set(["a": 1, "b": 2, "c": 3], 5, writer: 7))
    state.apply(.set("b", 4, 9, writer: 2))
    state.apply(.set("c", nil, 10, writer: 3))
    for state in [state, state.compacted, state.compacted.compacted] {
      #expect(state.changesByName.mapValues(\.version.microseconds) == ["a": 5, "b": 9, "c": 10])
      #expect(state.changesByName.mapValues(\.writer) == ["a": 7, "b": 2, "c": 3])
      #expect(state.changesByName["c"]?.edit == .remove)
      #expect(state.changesByName["missing"] == nil)
    }
  }
}

extension OpenSuite {
  /// Whether the log's state and memory share their entries.
  fileprivate var isSharing: Bool {
    get throws {
      let store = try #require(suite.persistence as? FileStore)
      return store.state.withLock { state in
        suite.table.state.withLock { $0.entries.isCopy(of: state.fold.entries.present) }
      }
    }
  }
}
