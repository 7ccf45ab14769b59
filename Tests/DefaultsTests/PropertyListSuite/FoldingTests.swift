import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Folding the records of other processes")
struct FoldingTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  /// The first check reads 4,096 bytes, and later ones more.
  @Test("Records of any length are folded, wherever a read ends")
  func lengths() throws {
    let (writer, reader) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    for length in [0, 1, 4_000, 4_029, 4_030, 4_031, 4_032, 4_033, 4_100, 70_000, 300_000] {
      for _ in 0..<3 {
        writer.set(String(repeating: "x", count: length), forKey: "text")
        writer.set(length, forKey: "length")
      }
      try reader.refresh()
      #expect(reader.entries == writer.entries)
    }
  }

  /// The length of a record is stored in its first bytes, lowest byte first.
  @Test("A record whose first bytes are zeros is folded after a read that ends in these")
  func zeros() throws {
    let (writer, reader) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    for count in 3_700..<4_100 {
      writer.set(String(repeating: "x", count: count), forKey: "first")
      // With name and header, the body has 256 bytes.
      writer.set(String(repeating: "x", count: 212), forKey: "second")
      writer.set(count, forKey: "third")
      try reader.refresh()
      try #require(reader.entries == writer.entries)
    }
  }

  @Test(
    "A suite that has read an edit never shows older entries of a journal that lacks the edit",
    arguments: [true, false])
  func unmergedEdit(isDeleted: Bool) throws {
    let file = twins.folder.url("suite.plist")
    func write(_ number: Int) throws {
      let entries: [String: Defaults.PropertyListValue] = ["a": .integer(Int64(number))]
      try Defaults.PropertyListFormat.xml.encode(entries).write(to: file)
    }
    try write(2)
    let reader = try twins.open(isAutomatic: false)
    // Like a journal from before the edit, of which the reader found no trace.
    try write(1)
    try twins.open(isAutomatic: false).set(true, forKey: "b")
    if isDeleted { try FileManager.default.removeItem(at: file) } else { try write(2) }
    let seen = Log<Int?>()
    let key = Defaults.Key<Int?>("a", suite: reader)
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    try reader.refresh()
    #expect(seen.all == (isDeleted ? [nil] : []))
    #expect(reader.entries == (isDeleted ? [:] : ["a": 2, "b": true]))
    observation.invalidate()
  }

  @Test("An update uses the committed value if an edit that readers see can't be merged")
  func updateBelowEdit() throws {
    let settings = try SettingsFolder()
    let folder = settings.folder
    func write(_ number: Int) throws {
      let entries: [String: Defaults.PropertyListValue] = ["a": .integer(Int64(number))]
      try Defaults.PropertyListFormat.xml.encode(entries).write(to: folder.url(SettingsFolder.file))
    }
    func move(_ name: String, to newName: String) {
      #expect(rename(folder[name], folder[newName]) == 0)
    }
    try write(2)
    let process = try settings.open()
    move(SettingsFolder.file, to: "edit")
    try write(1)
    try settings.open().set(7, "a")
    move(SettingsFolder.file, to: "saved")
    move("edit", to: SettingsFolder.file)
    // While the edit is merged, the file from before the edit comes back.
    let (path, saved) = (settings.path, folder["saved"])
    process.disk.fail(with: .ENOENT) { call in
      call.operation == .open && call.path == path && rename(saved, path) == 0
    }
    let key = Defaults.Key("a", default: 0, suite: process.suite)
    #expect(try process.suite.increment(key) == 8)
    #expect(try settings.found() == ["a": 8])
  }

  @Test("A set of the value that readers see in an edit is stored, since the edit may be lost")
  func setOfUnmergedValue() throws {
    let suite = try twins.open(isAutomatic: false)
    suite.set(7, forKey: "a")
    let store = try #require(suite.storage.persistence as? FileStore)
    // As at the opening.
    store.table.commitExternal(["a": .set(1)])
    store.state.withLock { $0.propertyList.isUnmerged = true }
    suite.set(1, forKey: "a")
    #expect(try twins.open(isAutomatic: false).entries == ["a": 1])
  }

  @Test("Each of many commits of another process is an event, also for derived entries")
  func events() async throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    let seen = Log<Int?>()
    let key = Defaults.Key<Int?>("count", suite: reader)
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    for number in 1...100 { writer.set(number, forKey: "count") }
    try reader.refresh()
    #expect(seen.all == Array(1...100))
    observation.invalidate()
  }

  /// What a thread does that changes no entry.
  enum Errand: CaseIterable { case sweep, refresh, flush }

  @Test(
    "A thread that changes no entry calls no handler of another thread's change",
    arguments: Errand.allCases)
  func errandBeforeDelivery(errand: Errand) throws {
    let suite = try twins.open(isAutomatic: false)
    let store = try #require(suite.storage.persistence as? FileStore)
    let seen = Log<Set<String>>()
    let observation = suite.observe(nil) { seen.append($0.names) }
    try Defaults.MemorySuite().transaction { _ in
      // The handler waits for the end of this transaction.
      suite.set(1, forKey: "a")
      try Thread.running {
        switch errand {
        case .sweep: store.sweepTemporaries()
        case .refresh: try suite.refresh()
        case .flush: try suite.flush()
        }
      }
      #expect(seen.all == [])
    }
    #expect(seen.all == [["a"]])
    observation.invalidate()
  }

  @Test("Of many changes of an entry in a row, the last one is folded, with its version")
  func changesInARow() throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    for round in 1...20 {
      for number in 1...round { writer.set(number, forKey: "count") }
      writer.removeEntry(named: round % 2 == 0 ? "count" : "other")
      writer.set(round, forKey: "other")
      try reader.refresh()
      #expect(reader.entries == writer.entries)
      let names = ["count", "other"]
      #expect(reader.versions(of: names) == writer.versions(of: names))
    }
  }

  @Test("A change that waits in memory wins over older changes that are folded with others")
  func waiting() throws {
    let (writer, reader) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    writer.set(1, forKey: "a")
    try reader.refresh()
    writer.set(2, forKey: "a")
    writer.set(2, forKey: "b")
    let lock = try twins.holdLock()
    reader.set(3, forKey: "a")
    try lock.unlock()
    try reader.flush()
    try writer.refresh()
    #expect(reader.entries == ["a": 3, "b": 2])
    #expect(writer.entries == reader.entries)
  }

  @Test("A change that the next one undoes still counts as a change since the last export")
  func undoneChange() throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    writer.set(1, forKey: "a")
    try writer.flush(.snapshot)
    try reader.refresh()
    writer.set(2, forKey: "a")
    writer.set(1, forKey: "a")
    try reader.refresh()
    let changed = try [writer, reader].map { suite in
      let store = try #require(suite.persistence as? FileStore)
      return store.state.withLock { $0.fold.bases.last?.changed }
    }
    #expect(changed == [["a": .set(1)], ["a": .set(1)]])
  }
}
