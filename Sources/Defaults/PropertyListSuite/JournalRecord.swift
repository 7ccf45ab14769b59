/// What is appended to a journal in one step: one change of a suite.
package struct JournalRecord: Sendable, Equatable {
  /// What else a record says.
  package enum Kind: Sendable, Equatable {
    /// Nothing: entries changed.
    case changes
    /// This file, which takes the place of the one before, has all entries as they are now, but
    /// for the changes: these were made while it was written, and it has the previous entries.
    case snapshot(FileBase)
    /// Somebody else wrote this file. What it says about other names than those that the journal
    /// has is to be taken from it, and the changes are what counts for those, each with what the
    /// file says.
    case edited(FileBase)
    /// The journal before was lost, and these entries were in it.
    case restored
    /// These entries are in the file that the journal builds on; the one before had the previous
    /// ones.
    case filed
    /// Another journal takes the place of this one, so that it isn't the last that was known.
    case succeeded
  }

  package struct Change: Sendable, Equatable {
    package var name: String
    package var edit: Edit
    /// The entry in the file, as an edit that would restore it: given when the journal has the
    /// name for the first time.
    package var previous: Edit?
    /// When somebody asked for it, by ``MonotonicClock``; in a restored entry, where it ended in
    /// the journal that was lost. 0 if that isn't known.
    package var mark: UInt64 = 0
  }

  package var kind = Kind.changes
  /// Tells who wrote it: one opening of a suite by one process.
  var writer: UInt64
  /// Up to here the journal was on the disk when the record was written, as far as its writer knew.
  var durable: Int
  package var changes: [Change]
}

/// How a journal begins.
package struct JournalHeader: Sendable, Equatable {
  /// A random number; it goes into the checksum of every record, so that those of another journal
  /// are none of this one.
  package let id: UInt64
  /// The number of the journal that this one replaced, having taken in all of it; 0 for the first.
  let previous: UInt64
  /// The file that the first record builds on.
  package let base: FileBase

  /// Whether a journal has no header because it was made and never written to the disk: it is
  /// short, or a power cut took the bytes. Nothing in it was ever durable.
  static func isUnwritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.prefix(JournalEncoder.headerSize).allSatisfy({ $0 == 0 }) { return true }
    // What is shorter and begins in another way is somebody's file.
    return bytes.count < JournalEncoder.headerSize
      && bytes.prefix(8).elementsEqual(JournalEncoder.magic.prefix(bytes.count))
  }
}

/// Writes the form that a journal has on the disk.
///
/// All numbers are little-endian and of fixed width. The header: magic (8 bytes), id, previous id
/// (8 each), base (57), checksum of all that (4). A record: length of its body (4), checksum (4),
/// body. A body: kind (1), writer (8), durable (8), the base if the kind has one (57), number of
/// changes (4), the changes. A change: flags (1), name, the value unless it was removed, the
/// previous value if there is one, its mark (8) if there is one. See ``ByteWriter`` for
/// values.
final class JournalEncoder {
  static let magic = Array("DfltJnl1".utf8)
  static let headerSize = 8 + 8 + 8 + baseSize + 4
  static let baseSize = 1 + 7 * 8
  /// The highest kind of record that this version knows.
  static let lastKind: UInt8 = 5
  /// The kind of the record that a journal begins with in place of one that was lost.
  static let restoredKind: UInt8 = 3
  /// Length and checksum.
  static let prefixSize = 8
  /// The shortest body: one without changes.
  static let leastBody = 1 + 8 + 8 + 4

  private var writer = ByteWriter()

  /// The bytes of a header; valid until the next call.
  func encode(_ header: JournalHeader) -> UnsafeRawBufferPointer {
    writer.clear()
    Self.magic.withUnsafeBytes { writer.append(bytes: $0) }
    writer.append(header.id)
    writer.append(header.previous)
    append(header.base)
    writer.append(Defaults.Checksum.of(writer.bytes))
    return writer.bytes
  }

  /// The bytes of a record; valid until the next call.
  func encode(_ record: JournalRecord, journal id: UInt64) -> UnsafeRawBufferPointer {
    writer.clear()
    writer.append(0 as UInt64)  // the prefix, filled in below
    let (kind, base): (UInt8, FileBase?) =
      switch record.kind {
      case .changes: (0, nil)
      case .snapshot(let base): (1, base)
      case .edited(let base): (2, base)
      case .restored: (Self.restoredKind, nil)
      case .filed: (4, nil)
      case .succeeded: (Self.lastKind, nil)
      }
    writer.append(kind)
    writer.append(record.writer)
    writer.append(UInt64(record.durable))
    if let base { append(base) }
    writer.appendCount(record.changes.count)
    for change in record.changes { append(change) }
    let body = UnsafeRawBufferPointer(rebasing: writer.bytes[Self.prefixSize...])
    let checksum = Self.checksum(ofBody: body, journal: id)
    writer.overwrite(UInt64(checksum) << 32 | UInt64(UInt32(body.count)), at: 0)
    return writer.bytes
  }

  static func checksum(ofBody body: UnsafeRawBufferPointer, journal id: UInt64) -> UInt32 {
    Defaults.Checksum.of(
      body,
      after: UInt32(truncatingIfNeeded: id ^ id >> 32) ^ UInt32(truncatingIfNeeded: body.count))
  }
}

extension JournalEncoder {
  private func append(_ change: JournalRecord.Change) {
    var flags: UInt8 = change.mark > 0 ? 8 : 0
    if case .set = change.edit { flags |= 1 }
    switch change.previous {
    case .set: flags |= 6
    case .remove: flags |= 2
    case nil: break
    }
    writer.append(flags)
    writer.append(change.name)
    if case .set(let value) = change.edit { writer.append(value) }
    if case .set(let value) = change.previous { writer.append(value) }
    if change.mark > 0 { writer.append(change.mark) }
  }

  private func append(_ base: FileBase) {
    writer.append(UInt8(base.version == nil ? 0 : base.changed == nil ? 1 : 2))
    writer.append(base.version?.device ?? 0)
    writer.append(base.version?.inode ?? 0)
    writer.append(UInt64(bitPattern: Int64(base.version?.size ?? 0)))
    for time in [base.version?.modified, base.changed] {
      writer.append(UInt64(bitPattern: Int64(time?.seconds ?? 0)))
      writer.append(UInt64(bitPattern: Int64(time?.nanoseconds ?? 0)))
    }
  }
}

/// Which property list file a journal builds on: the very version, or that there is none.
package struct FileBase: Equatable, Sendable {
  /// nil: there is no file.
  package let version: FileVersion?
  /// nil where it isn't known yet: renaming a file changes this time.
  let changed: FileTime?

  /// There is no file.
  static let absent = Self(version: nil, changed: nil)

  init(version: FileVersion?, changed: FileTime?) {
    self.version = version
    self.changed = changed
  }

  init(_ content: StoredFile.Content?) {
    self.init(version: content?.version, changed: content?.changed)
  }

  init(_ status: FileStatus?) { self.init(version: status?.version, changed: status?.changed) }

  /// Whether a file that is there now, with all its times, is this one.
  func matches(_ present: Self) -> Bool {
    version == present.version && (changed == nil || changed == present.changed)
  }
}
