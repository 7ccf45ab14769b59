/// Functions for recovering a damaged log, which only a tool does, on request.

extension LogRecord {
  /// The format of the changes in a record.
  package enum ChangeForm: CaseIterable, Sendable {
    case set
    /// Changes with their versions and writers.
    case joined
    /// Differences of a property list.
    case difference

    /// Creates the format of records of a kind; nil if such records don't change entries.
    package init?(kind: UInt8) {
      switch kind {
      case 0: self = .set
      case 1, 8: self = .joined
      case 6: self = .difference
      default: return nil
      }
    }

    /// The possible offsets of the changes in a body.
    package var starts: [Int] {
      let count = LogEncoder.leastBody + 4
      return self == .difference ? [count + 8 + 1 + LogDecoder.fileSize, count + 8 + 1] : [count]
    }
  }
}

extension LogDecoder {
  /// Device, inode, size, seconds and nanoseconds (8 each), checksum (4), format (1).
  fileprivate static let fileSize = 45

  /// Returns the change at an offset and its end, even in an invalid record. `counts` is false for
  /// an entry of a property list that no external writer changed.
  package static func change(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, _ form: LogRecord.ChangeForm
  ) -> (change: LogRecord.Change, counts: Bool, end: Int)? {
    var reader = ByteReader(bytes, at: offset)
    let allowed: UInt8 = form == .difference ? 3 : 1
    guard let (name, edit, flags) = edit(&reader, allowing: allowed) else { return nil }
    if form == .joined {
      guard version(&reader) != nil, let _: UInt64 = reader.number() else { return nil }
    }
    return (
      LogRecord.Change(name: name, edit: edit), form != .difference || flags & 2 != 0,
      reader.position
    )
  }

  /// Returns whether the bytes at an offset look like the beginning of a record, by a quick check.
  package static func looksLikeRecord(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    var reader = ByteReader(bytes, at: offset)
    guard let length: UInt32 = reader.number(), let _: UInt32 = reader.number(),
      Int(length) >= LogEncoder.leastBody, Int(length) <= bytes.count - reader.position,
      let kind = reader.byte(), kind <= LogEncoder.lastKind || kind >= LogEncoder.firstNote,
      let _: UInt64 = reader.number(),
      version(&reader) != nil, let durable = reader.integer()
    else { return false }
    return durable >= 0 && durable <= Defaults.SizeLimit.journal
  }
}

extension LogState {
  /// A state before the first record.
  package static var unwritten: Self { Self() }

  /// Applies a valid record, though records before it may be missing.
  package mutating func salvage(_ record: LogRecord) {
    guard case .merged(let id, let file?, let differences) = record.content,
      index(of: id) == nil, !wasMerged(file)
    else {
      apply(record)
      return
    }
    // The `mergeBegan` record is missing.
    let edits = differences.filter(\.isEdited).map {
      LogRecord.Change(name: $0.name, edit: $0.edit)
    }
    apply(LogRecord(writer: 0, version: record.version, content: .set(edits)))
  }

  /// Applies the readable changes of a damaged record.
  package mutating func salvage(_ changes: [LogRecord.Change]) {
    apply(LogRecord(writer: 0, version: horizon.latest, content: .set(changes)))
  }
}
