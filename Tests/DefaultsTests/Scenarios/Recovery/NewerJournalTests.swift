import DefaultsHistory
import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Journals of a later version of the library")
struct NewerJournalTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  private func prepare() throws {
    try settings.run { process in
      process.set(1, "x")
      try process.flush(.snapshot)
      process.set(2, "x")
    }
  }

  /// Changes the last record to an unknown kind, with a correct checksum.
  private func makeRecordNewer() throws {
    var bytes = try Array(Data(contentsOf: settings.folder.url(SettingsFolder.journal)))
    let header = try #require(bytes.withUnsafeBytes { LogHeader($0) })
    let record = try #require(JournalImage.records(in: bytes).last)
    let body = record.lowerBound + LogEncoder.prefixSize..<record.upperBound
    bytes[body.lowerBound] = LogDecoder.lastKind + 1
    let checksum = Array(bytes[body]).withUnsafeBytes {
      LogEncoder.checksum(ofBody: $0, log: header.id)
    }
    withUnsafeBytes(of: checksum.littleEndian) {
      bytes.replaceSubrange(record.lowerBound + 4..<record.lowerBound + 8, with: $0)
    }
    try Data(bytes).write(to: settings.folder.url(SettingsFolder.journal))
  }

  private func makeHeaderNewer() throws {
    let handle = try FileHandle(forUpdating: settings.folder.url(SettingsFolder.journal))
    try handle.seek(toOffset: 7)
    try handle.write(contentsOf: Data("9".utf8))
    // A later version may use the rest of the header differently.
    try handle.seek(toOffset: 10)
    try handle.write(contentsOf: Data("anything".utf8))
    try handle.close()
  }

  private func expectRefusal() throws {
    let before = try settings.folder.names().map { try Data(contentsOf: settings.folder.url($0)) }
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unsupportedLog)
    #expect(error?.path == settings.folder[SettingsFolder.journal])
    let after = try settings.folder.names().map { try Data(contentsOf: settings.folder.url($0)) }
    #expect(before == after)
  }

  @Test("A journal of an unknown version is rejected and stays unchanged")
  func version() throws {
    try prepare()
    try makeHeaderNewer()
    try expectRefusal()
  }

  @Test("A journal with a record of an unknown kind is rejected and stays unchanged")
  func kind() throws {
    try prepare()
    try makeRecordNewer()
    try expectRefusal()
  }

  @Test("A record of an unknown kind after a damaged record is rejected, and nothing is removed")
  func kindAfterDamage() throws {
    try prepare()
    try settings.run { $0.set(3, "x") }
    try makeRecordNewer()
    let url = settings.folder.url(SettingsFolder.journal)
    var bytes = try Array(Data(contentsOf: url))
    let records = try #require(JournalImage.records(in: bytes).dropLast().last)
    bytes[records.upperBound - 1] ^= 1
    try Data(bytes).write(to: url)
    try expectRefusal()
  }

  @Test("A journal of a later version is rejected as such, although a person linked it as a copy")
  func linked() throws {
    try prepare()
    try makeHeaderNewer()
    let folder = settings.folder
    try FileManager.default.linkItem(
      at: folder.url(SettingsFolder.journal), to: folder.url("copy"))
    try expectRefusal()
  }

  @Test("A flush doesn't replace a journal whose header a later version changed in place")
  func changedInPlace() throws {
    try prepare()
    let process = try settings.open()
    process.set(3, "x")
    try makeHeaderNewer()
    let bytes = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    let error = #expect(throws: Defaults.SuiteError.self) { try process.flush() }
    #expect(error?.code == .unsupportedLog)
    #expect(try Data(contentsOf: settings.folder.url(SettingsFolder.journal)) == bytes)
    process.kill()
  }

  @Test("After a newer journal was deleted, a process waits for the program that knows all of it")
  func deleted() throws {
    try prepare()
    let process = try settings.open(isAutomatic: true)
    defer { process.kill() }
    process.set(3, "x")
    let store = try #require(process.suite.persistence as? FileStore)
    try store.state.withLock { state in
      try makeRecordNewer()
      try settings.remove(SettingsFolder.journal)
      try state.leave(try #require(state.log?.file))
      #expect(state.awaitedLog != nil)
    }
  }

  @Test("A deleted journal that another program cut in its header isn't taken for a newer one")
  func deletedAndCut() throws {
    try prepare()
    let process = try settings.open(isAutomatic: true)
    defer { process.kill() }
    process.set(3, "x")
    let handle = try FileHandle(forUpdating: settings.folder.url(SettingsFolder.journal))
    let store = try #require(process.suite.persistence as? FileStore)
    try store.state.withLock { state in
      try settings.remove(SettingsFolder.journal)
      // A process that has just checked the size appends a record.
      try handle.truncate(atOffset: 7)
      try handle.seek(toOffset: 7)
      try handle.write(contentsOf: Data("9 is the length of its body".utf8))
      try state.leave(try #require(state.log?.file))
      #expect(state.awaitedLog == nil)
    }
  }

  @Test("A damaged byte in the version of a journal is treated as damage")
  func damagedVersion() throws {
    try prepare()
    let handle = try FileHandle(forUpdating: settings.folder.url(SettingsFolder.journal))
    try handle.seek(toOffset: 7)
    try handle.write(contentsOf: Data("9".utf8))
    try handle.close()
    let process = try settings.open()
    #expect(process.entries == ["x": 1])
    #expect(process.issues.codes == [.malformed])
  }

  @Test("A running program keeps its entries and appends nothing to a newer journal")
  func running() throws {
    try prepare()
    let process = try settings.open()
    let writer = try settings.open()
    writer.set(3, "x")
    try makeRecordNewer()
    let bytes = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    process.set(4, "y")
    #expect(process.entries["y"] == 4)
    #expect(process.issues.codes == [.unsupportedLog])
    process.expectFailure(at: settings.folder[SettingsFolder.journal], codes: [.unsupportedLog])
    #expect(throws: Defaults.SuiteError.self) { try process.suite.transaction { _ in } }
    #expect(try Data(contentsOf: settings.folder.url(SettingsFolder.journal)) == bytes)
    process.kill()
    writer.kill()
  }

  @Test("A running program reads no history from a newer journal", arguments: [true, false])
  func history(isHeaderNewer: Bool) throws {
    try prepare()
    let process = try settings.open()
    defer { process.kill() }
    #expect(try process.suite.history().map(\.new) == [1, 2])
    try isHeaderNewer ? makeHeaderNewer() : makeRecordNewer()
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.history() }
    #expect(error?.code == .unsupportedLog)
  }
}
