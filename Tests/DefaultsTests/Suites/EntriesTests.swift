import Testing

@testable import Defaults

@Suite("Entries that are held during changes")
struct EntriesTests {
  @Test("Held entries stay unchanged while changes are visible at once")
  func heldEntriesStay() {
    var entries = Entries(["a": 1, "b": 2])
    let held = entries.hold()
    entries["a"] = 5
    entries["b"] = nil
    entries["c"] = 3
    #expect(held == ["a": 1, "b": 2])
    #expect(entries["a"] == 5)
    #expect(entries["b"] == nil)
    #expect(entries["c"] == 3)
    #expect(entries.all == ["a": 5, "c": 3])
  }

  @Test("After a release, all entries are in one table and can be held again")
  func release() {
    var entries = Entries(["a": 1])
    _ = entries.hold()
    entries["b"] = 2
    entries.release()
    #expect(entries.all == ["a": 1, "b": 2])
    entries["a"] = nil
    #expect(entries.hold() == ["b": 2])
    entries["b"] = nil
    #expect(entries.hold() == [:])
    #expect(entries.all == [:])
  }

  @Test("A suite that changes while a snapshot is written has every change, and so has its file")
  func snapshotBesideWriters() throws {
    let settings = try SettingsFolder()
    let process = try settings.open()
    let store = try #require(process.suite.persistence as? FileStore)
    for round in 0..<20 {
      process.set(.integer(Int64(round)), "a")
      _ = store.state.withLock { $0.fold.hold() }
      process.set(.integer(Int64(round)), "b \(round)")
      #expect(process.entries.count == round + 2)
      store.state.withLock { $0.release() }
    }
    try process.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }
}
