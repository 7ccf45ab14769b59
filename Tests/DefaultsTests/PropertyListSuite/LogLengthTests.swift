import Foundation
import Testing

@testable import Defaults

@Suite("The length of a log")
struct LogLengthTests {
  private let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  /// A length of a log and of its checkpoint, and what must be done with the log.
  struct Length: Sendable {
    let log: Int
    let checkpoint: Int
    var lacksSpace = false
    var isOutgrown = false
    var isUrgent = false
  }

  private static let (kibibytes, mebibyte) = (1 << 16, 1 << 20)

  @Test(
    "A log over 64 KiB is replaced at twice its checkpoint; over 4 MiB, at four times, at once",
    arguments: [
      Length(log: kibibytes, checkpoint: 100),
      Length(log: kibibytes + 1, checkpoint: 100, isOutgrown: true),
      Length(log: 2 * kibibytes, checkpoint: kibibytes),
      Length(log: 2 * kibibytes + 1, checkpoint: kibibytes, isOutgrown: true),
      Length(log: 4 * mebibyte, checkpoint: 100, isOutgrown: true),
      Length(log: 4 * mebibyte + 1, checkpoint: 100, isOutgrown: true, isUrgent: true),
      Length(log: 8 * mebibyte, checkpoint: 2 * mebibyte, isOutgrown: true),
      Length(log: 8 * mebibyte + 1, checkpoint: 2 * mebibyte, isOutgrown: true, isUrgent: true),
      // Without space, or near the limit, at five quarters.
      Length(log: 4_096, checkpoint: 800, lacksSpace: true),
      Length(log: 10_000, checkpoint: 8_000, lacksSpace: true),
      Length(log: 10_001, checkpoint: 8_000, lacksSpace: true, isOutgrown: true),
      Length(log: 450 * mebibyte, checkpoint: 360 * mebibyte),
      Length(log: 450 * mebibyte + 1, checkpoint: 360 * mebibyte, isOutgrown: true),
    ])
  func limits(length: Length) throws {
    let process = try settings.open()
    process.set(1, "a")
    let store = try #require(process.suite.persistence as? FileStore)
    let known = try #require(store.state.withLock { $0.log })
    let log = FollowedLog(
      file: known.file, header: known.header, offset: length.log, checkpointEnd: length.checkpoint,
      lacksSpace: length.lacksSpace)
    #expect(log.isOutgrown == length.isOutgrown)
    #expect(log.isUrgent == length.isUrgent)
  }

  @Test(
    "A short log is replaced if there was no space for a change",
    arguments: [.ENOSPC, .EFBIG] as [POSIXErrorCode])
  func withoutSpace(code: POSIXErrorCode) throws {
    let process = try settings.open()
    for number in 0..<200 as Range<Int64> { process.set(.integer(number), "a") }
    let end = try settings.endOfRecords()
    process.disk.fail(with: code) { $0.operation == .write && $0.path.hasSuffix(".journal") }
    process.set("x", "b")
    #expect(process.issues.codes == [.unwritable])
    process.expectFailure(of: .snapshot)
    process.disk.heal()
    try process.flush(.snapshot)
    #expect(try settings.endOfRecords() < end / 4)
    #expect(try settings.found() == ["a": 199, "b": "x"])
  }

  @Test("Bytes are empty room only if all of them are zeros")
  func room() {
    for count in 0...40 {
      var bytes = [UInt8](repeating: 0, count: count)
      #expect(bytes.withUnsafeBytes { LogRoom.isEmpty($0) })
      for index in 0..<count {
        bytes[index] = 1
        #expect(!bytes.withUnsafeBytes { LogRoom.isEmpty($0) }, "\(index) of \(count)")
        bytes[index] = 0
      }
    }
    let alternating: [UInt8] = [0, 7, 0, 7, 0, 7, 0, 7]
    let isEmpty = alternating.withUnsafeBytes {
      LogRoom.isEmpty(UnsafeRawBufferPointer(rebasing: $0[..<6]))
    }
    #expect(!isEmpty)
  }

  @Test("A log has room after its records only while its changes are flushed")
  func roomForFlushes() throws {
    let process = try settings.open()
    func room() throws -> Int {
      try settings.size(of: SettingsFolder.journal) - settings.endOfRecords()
    }
    for number in 0..<10 as Range<Int64> { process.set(.integer(number), "a") }
    #expect(try room() == 0)
    try process.flush()
    #expect(try room() == 0)
    process.set(10, "a")
    #expect(try room() == LogRoom.size)
    process.set(11, "a")
    #expect(try (1..<LogRoom.size).contains(room()))
    // More than the room.
    for number in 12..<1_000 as Range<Int64> { process.set(.integer(number), "a") }
    #expect(try room() == 0)
    #expect(try settings.found() == ["a": 999])
  }

  @Test("A log whose checkpoint has more records than are written at once is read completely")
  func longCheckpoint() throws {
    let value = Defaults.PropertyListValue.data(Data(count: 65_536))
    let entries = Dictionary(uniqueKeysWithValues: (0..<70).map { ("\($0)", value) })
    let places = SuiteFiles(try StoredFile(path: settings.path, on: LocalFileSystem()))
    let new = try NewLog(LogState(entries, of: nil, version: .zero, id: 1), places)
    let loaded = LoadedLog(try #require(try new.addName()).content(), path: "")
    #expect(loaded.isSound)
    #expect(loaded.fold.values == entries)
  }

  @Test("Records that exactly fit into the room of a log don't make the file longer")
  func exactFit() throws {
    let process = try settings.open()
    process.set(1, "a")
    let store = try #require(process.suite.persistence as? FileStore)
    var log = try #require(store.state.withLock { $0.log })
    for (room, size) in [(16, 16), (15, 16 + LogRoom.size)] {
      let start = log.offset
      log.size = start + room
      // Zeros, which change nothing.
      try [UInt8](repeating: 0, count: 16).withUnsafeBytes {
        try log.append($0, last: 0, flushed: start)
      }
      #expect(log.size == start + size)
    }
  }

  @Test("After an opening, a log that is little longer than its checkpoint isn't replaced")
  func reopened() throws {
    func journal() throws -> FileVersion {
      try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    }
    do {
      let process = try settings.open()
      for number in 0..<200 {
        process.set(.string(String(repeating: "x", count: 1_000)), "\(number % 100)")
      }
      // Replaces the log by one with a checkpoint of 100 KiB.
      try process.flush(.snapshot)
      for number in 0..<50 { process.set(.string("\(number)"), "x") }
      try process.flush(.snapshot)
    }
    let before = try journal()
    let process = try settings.open()
    process.set(1, "y")
    try process.flush(.snapshot)
    #expect(try journal().isSameFile(as: before))
  }
}
