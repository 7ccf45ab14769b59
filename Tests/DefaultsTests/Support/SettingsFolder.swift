import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

/// A folder for the files of one suite, and operations of tests and failures on them.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`.
final class SettingsFolder: Sendable {
  static let file = "suite.plist"
  static let journal = "suite.plist.journal"

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The path of the suite's file.
  var path: String { folder[Self.file] }

  /// Opens the suite as another process.
  func open(
    isAutomatic: Bool = false, on disk: FaultyFileSystem = FaultyFileSystem()
  ) throws -> OpenSuite {
    try OpenSuite(path, isAutomatic: isAutomatic, on: disk)
  }

  /// Runs the closure in a process that is then killed.
  func run(_ body: (OpenSuite) throws -> Void) throws {
    let process = try open()
    defer { process.kill() }
    try body(process)
  }

  /// The entries that a process finds when it opens the suite now and changes nothing.
  func found() throws -> [String: Defaults.PropertyListValue] {
    let process = try open()
    defer { process.kill() }
    return process.entries
  }

  /// The entries of a property list as another program reads them.
  func entries(
    of name: String = SettingsFolder.file
  ) throws -> [String: Defaults.PropertyListValue] {
    try Defaults.PropertyListFormat.decode(Data(contentsOf: folder.url(name))).entries
  }

  func size(of name: String) throws -> Int {
    try Data(contentsOf: folder.url(name)).count
  }

  /// The end of the journal's records and the beginning of its empty space.
  func endOfRecords() throws -> Int { try lastRecord().upperBound }

  /// The bytes of the last record of the journal; without a record, none at the end of the header.
  ///
  /// A note may precede the record of a change, since secrets of other tests count, too.
  func lastRecord() throws -> Range<Int> {
    let bytes = try Array(Data(contentsOf: folder.url(Self.journal)))
    let end = JournalImage.headerSize
    return JournalImage.records(in: bytes).last ?? end..<end
  }

  /// Inverts all bits of one byte of a file, in place.
  func flip(byte offset: Int, of name: String) throws {
    let handle = try FileHandle(forUpdating: folder.url(name))
    try handle.seek(toOffset: UInt64(offset))
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: [~byte])
    try handle.close()
  }

  /// Truncates the last record of the journal and its empty space.
  func cutRecord(by count: Int) throws {
    let size = try endOfRecords() - count
    #expect(truncate(folder[Self.journal], off_t(size)) == 0)
  }

  /// Overwrites a file in place.
  func overwrite(_ name: String = SettingsFolder.file, with text: String) throws {
    try Data(text.utf8).write(to: folder.url(name))
  }

  /// Replaces the file with a property list, as an editor does.
  func edit(_ entries: [String: Defaults.PropertyListValue]) throws {
    let data = try Defaults.PropertyListFormat.xml.encode(entries)
    try data.write(to: folder.url(Self.file), options: .atomic)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: folder.url(name))
  }

  /// The names of a file's quarantined copies, the oldest first.
  func setAside(of name: String = SettingsFolder.file) throws -> [String] {
    let prefix = "\(name).corrupt-"
    // By the second, then by the number after it.
    func order(_ name: String) -> (Substring, Int, String) {
      (name.dropFirst(prefix.count).prefix(16), name.count, name)
    }
    return try folder.names().filter { $0.hasPrefix(prefix) }.sorted { order($0) < order($1) }
  }
}
