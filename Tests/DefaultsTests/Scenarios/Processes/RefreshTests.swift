import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Refreshing a suite")
struct RefreshTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test(
    "After a refresh, reads return everything that other processes had committed",
    arguments: [
      false, true,
    ])
  func news(withSnapshots: Bool) throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    for number in 1...20 {
      writer.set(number, forKey: "x")
      if withSnapshots, number % 5 == 0 { try writer.flush(.snapshot) }
      try reader.refresh()
      #expect(reader.integer(forKey: "x") == number)
    }
    writer.removeObject(forKey: "x")
    try reader.refresh()
    #expect(reader.entries == [:])
  }

  @Test("A refresh merges an edit of the file also if another process has committed")
  func editBesideNews() throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    writer.set(1, forKey: "x")
    try writer.flush(.snapshot)
    try reader.refresh()
    writer.set(2, forKey: "y")
    let edit = try PropertyListSerialization.data(
      fromPropertyList: ["x": 3], format: .xml, options: 0)
    try edit.write(to: twins.folder.url("suite.plist"), options: .atomic)
    try reader.refresh()
    #expect(reader.entries == ["x": 3, "y": 2])
  }

  @Test("A refresh notifies observers of external changes")
  func observers() throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    let seen = Log<Defaults.Change>()
    let observation = reader.observe(nil) { seen.append($0) }
    writer.set(1, forKey: "x")
    try reader.refresh()
    try reader.refresh()
    #expect(seen.all.map(\.source) == [.external])
    observation.invalidate()
  }

  @Test("A refresh doesn't wait for the lock, whether or not there are new changes")
  func withoutLock() throws {
    let (writer, reader) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    writer.set(1, forKey: "x")
    try reader.refresh()
    writer.set(2, forKey: "x")
    let lock = try twins.holdLock()
    try reader.refresh()
    try reader.refresh()
    #expect(reader.integer(forKey: "x") == 2)
    try lock.unlock()
  }

  @Test("A refresh throws if a record is incomplete and its writer keeps the lock")
  func stoppedWriter() throws {
    let writer = try twins.open(isAutomatic: false)
    let reader = try twins.open(timeouts: .init(setter: .zero, exact: .seconds(1), exit: .zero))
    writer.set(1, forKey: "x")
    try reader.refresh()
    let lock = try twins.holdLock()
    let journal = twins.folder["suite.plist.journal"]
    let handle = try FileHandle(forUpdating: URL(filePath: journal))
    let bytes = try Array(Data(contentsOf: URL(filePath: journal)))
    try handle.seek(toOffset: UInt64(try #require(bytes.lastIndex { $0 != 0 }) + 1))
    try handle.write(contentsOf: Data([40, 0, 0, 0, 1, 2, 3, 4, 5]))
    try handle.close()
    let error = #expect(throws: Defaults.SuiteError.self) { try reader.refresh() }
    #expect(error?.code == .locked)
    #expect(reader.integer(forKey: "x") == 1)
    try lock.unlock()
  }

  @Test("A refresh loads a store again and does nothing for a suite in memory")
  func others() throws {
    let memory = Defaults.MemorySuite(["x": 1])
    try memory.refresh()
    #expect(memory.entries == ["x": 1])
  }

  @Test("A refresh doesn't wait for the lock of a journal that ends with its last record")
  func withoutRoom() throws {
    let writer = try twins.open(isAutomatic: false)
    writer.set(1, forKey: "x")
    // It hasn't had the lock, and so doesn't know that the journal was longer.
    let reader = try twins.open(
      isAutomatic: false, timeouts: .init(setter: .zero, exact: .zero, exit: .zero))
    writer.set(2, forKey: "x")
    let journal = twins.folder["suite.plist.journal"]
    let bytes = try Array(Data(contentsOf: URL(filePath: journal)))
    let end = try #require(JournalImage.records(in: bytes).last?.upperBound)
    #expect(truncate(journal, off_t(end)) == 0)
    let lock = try twins.holdLock()
    // The first one folds the change, and the second one finds nothing.
    for _ in 0..<2 { try reader.refresh() }
    #expect(reader.integer(forKey: "x") == 2)
    try lock.unlock()
  }
}
