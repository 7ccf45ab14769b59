import Defaults
import Foundation

@testable import Defaults
@testable import StressTests

/// The fault of a ``ToyStore``.
enum ToyFault: CaseIterable {
  /// The snapshot isn't synced before it is renamed.
  case renameBeforeSync
  /// The snapshot is synced after its rename.
  case syncAfterRename
  /// The snapshot overwrites the old one in place.
  case writeInPlace
  /// The journal is removed before the folder of the renamed snapshot is synced.
  case journalRemovedBeforeFolderSync
  /// The journal is removed before the snapshot is renamed.
  case journalRemovedBeforeRename
  /// The old journal on disk may lack the last changes of the snapshot: replaying it over the
  /// snapshot reverts values.
  case journalNotSynced
  case flushWithoutSync
  /// A flush doesn't make the name of a new journal durable.
  case flushWithoutFolderSync
  /// A record is used whatever its checksum.
  case recordsUnchecked
  /// A record is written after a partial one, where it is never read.
  case tornTailKept
  /// A process writes at the end of the journal as it last read it.
  case appendAtOldOffset
  /// A leftover temporary file prevents all snapshots.
  case temporaryKept
}

/// The smallest store with a journal and snapshots: single letters that are set to bytes.
struct ToyStore: CrashSubject {
  var fault: ToyFault?

  struct Problem: Error { let sentence: String }

  func open(on disk: SimulatedDisk) throws -> ToyProcess {
    let process = ToyProcess(disk: disk, fault: fault)
    if fault != .temporaryKept { try? disk.removeName(ToyProcess.temporary) }
    _ = try process.entries()
    return process
  }

  func entries(of process: ToyProcess) throws -> [String: Defaults.PropertyListValue] {
    Dictionary(
      uniqueKeysWithValues: try process.entries().map { key, value in
        (String(UnicodeScalar(key)), .integer(Int64(value)))
      })
  }

  func finish(_ process: ToyProcess) throws { try process.snapshot() }

  func inspect(_ disk: SimulatedDisk) throws {
    let names = try disk.names(inFolder: ToyProcess.folder)
    guard names == ["data"] else { throw Problem(sentence: "left behind: \(names)") }
  }
}

final class ToyProcess {
  static let folder = "/d"
  static let data = "/d/data"
  static let journal = "/d/journal"
  static let temporary = "/d/data.tmp"

  let disk: SimulatedDisk
  let fault: ToyFault?
  private var oldOffset: Int?

  init(disk: SimulatedDisk, fault: ToyFault?) {
    self.disk = disk
    self.fault = fault
  }

  func entries() throws -> [UInt8: UInt8] {
    var entries: [UInt8: UInt8] = [:]
    if let bytes = try bytes(of: Self.data) {
      // The last record has the count, so that a short file is detected.
      let records = Self.records(bytes)
      guard let last = records.last, last.key == 0, Int(last.value) == records.count else {
        throw ToyStore.Problem(sentence: "the data is damaged")
      }
      for record in records.dropLast() { entries[record.key] = record.value }
    }
    for record in Self.records(try bytes(of: Self.journal) ?? [], isChecked: isChecked) {
      entries[record.key] = record.value
    }
    return entries
  }

  func set(_ key: Character, _ value: UInt8) throws {
    let file: any OpenFile
    do {
      file = try disk.open(Self.journal, .update)
    } catch {
      file = try disk.open(Self.journal, .create)
    }
    guard try file.tryLock() else { throw ToyStore.Problem(sentence: "the journal is locked") }
    let bytes = try bytes(of: Self.journal) ?? []
    var end = 4 * Self.records(bytes, isChecked: isChecked).count
    if end < bytes.count {
      if fault == .tornTailKept { end = bytes.count } else { try file.truncate(to: end) }
    }
    if fault == .appendAtOldOffset, let oldOffset { end = oldOffset }
    try write([Self.record(key.asciiValue ?? 0, value)], to: file, at: end)
    oldOffset = end + 4
  }

  func flush() throws {
    if fault == .flushWithoutSync { return }
    try disk.open(Self.journal, .update).synchronizeContent()
    if fault != .flushWithoutFolderSync { try syncFolder() }
  }

  func snapshot() throws {
    let entries = try entries()
    var records = entries.map(Self.record)
    records.append(Self.record(0, UInt8(entries.count + 1)))
    let file: any OpenFile
    if fault == .writeInPlace, try disk.statusIfPresent(of: Self.data) != nil {
      file = try disk.open(Self.data, .update)
      try file.truncate(to: 0)
    } else {
      file = try disk.open(fault == .writeInPlace ? Self.data : Self.temporary, .create)
    }
    try write(records, to: file, at: 0)
    if fault != .renameBeforeSync, fault != .syncAfterRename { try file.synchronize() }
    if fault != .journalNotSynced { try? disk.open(Self.journal, .update).synchronizeContent() }
    if fault == .journalRemovedBeforeRename { try removeJournal() }
    if fault != .writeInPlace { try disk.move(Self.temporary, to: Self.data) }
    if fault == .syncAfterRename { try file.synchronize() }
    if fault == .journalRemovedBeforeFolderSync { try removeJournal() }
    try syncFolder()
    try removeJournal()
    oldOffset = nil
  }

  private var isChecked: Bool { fault != .recordsUnchecked }

  private func removeJournal() throws {
    if try disk.statusIfPresent(of: Self.journal) != nil { try disk.removeName(Self.journal) }
  }

  private func syncFolder() throws { try disk.open(Self.folder, .folder).synchronize() }

  private func bytes(of path: String) throws -> [UInt8]? {
    guard let size = try disk.statusIfPresent(of: path)?.version.size else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let file = try disk.open(path, .read)
    let count = try bytes.withUnsafeMutableBytes { try file.readAll(into: $0, at: 0) }
    return Array(bytes.prefix(count))
  }

  private func write(
    _ records: [[UInt8]], to file: any OpenFile, at offset: Int
  ) throws {
    try Array(records.joined()).withUnsafeBytes { try file.writeAll($0, at: offset) }
  }

  private static func record(_ key: UInt8, _ value: UInt8) -> [UInt8] {
    [key, value, key ^ value ^ 0x5a, 0x0a]
  }

  private static func records(
    _ bytes: [UInt8], isChecked: Bool = true
  ) -> [(key: UInt8, value: UInt8)] {
    var records: [(key: UInt8, value: UInt8)] = []
    for start in stride(from: 0, to: bytes.count - 3, by: 4) {
      let (key, value) = (bytes[start], bytes[start + 1])
      guard !isChecked || Array(bytes[start..<start + 4]) == record(key, value) else { break }
      records.append((key, value))
    }
    return records
  }
}
