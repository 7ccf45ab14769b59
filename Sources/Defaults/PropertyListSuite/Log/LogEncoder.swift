/// The format of the records of a log, which ``ByteWriter`` writes.
///
/// A record consists of the length of its body (4 bytes), the checksum (4) and the body. A body
/// consists of the kind (1), writer, version and durable offset (8 each), and the content for that
/// kind.
package enum LogEncoder {
  /// The size of length and checksum.
  package static let prefixSize = 8

  static func checksum(ofBody body: UnsafeRawBufferPointer, log id: UInt64) -> UInt32 {
    Defaults.Checksum.of(
      body,
      after: UInt32(truncatingIfNeeded: id ^ id >> 32) ^ UInt32(truncatingIfNeeded: body.count))
  }
}

extension ByteWriter {
  /// Appends a record, and returns its offset in the bytes.
  mutating func append(_ record: LogRecord, log id: UInt64) -> Int {
    let start = count
    append(0 as UInt64)  // the prefix, overwritten below
    append(record.content.kind)
    append(record.writer)
    append(record.version.microseconds)
    append(UInt64(record.durable))
    append(record.content)
    let body = UnsafeRawBufferPointer(rebasing: bytes[(start + LogEncoder.prefixSize)...])
    let checksum = LogEncoder.checksum(ofBody: body, log: id)
    overwrite(UInt64(checksum) << 32 | UInt64(UInt32(body.count)), at: start)
    return start
  }

  private mutating func append(_ content: LogRecord.Content) {
    switch content {
    case .set(let changes):
      appendCount(changes.count)
      for change in changes { append(change.name, change.edit) }
    case .joined(let changes), .checkpoint(.entries(let changes)):
      appendCount(changes.count)
      for change in changes {
        append(change.name, change.edit)
        append(change.version.microseconds)
        append(change.writer)
      }
    case .exportBegan(let id, let temporaryName):
      append(id)
      append(temporaryName)
    case .exported(let id, let file):
      append(id)
      append(file)
    case .placed(let id), .mergeBegan(let id):
      append(id)
    case .merged(let id, let file, let differences):
      append(id)
      append(file == nil ? 0 : 1 as UInt8)
      if let file { append(file) }
      appendCount(differences.count)
      for difference in differences {
        append(difference.name, difference.edit, flags: difference.isEdited ? 2 : 0)
      }
    case .doubt, .abandoned:
      break
    case .checkpoint(.base(let base)):
      append(base)
    case .checkpoint(.past(let changes)):
      appendCount(changes.count)
      for change in changes {
        append(change.name, change.old)
        append(change.name, change.new)
        append(change.version.microseconds)
      }
    case .note(let note):
      if let note { append(note) }
    case .checkpoint(.end(let count, let horizon)):
      append(UInt64(count))
      append(horizon.latest.microseconds)
      append(horizon.discarded.microseconds)
    }
  }

  private mutating func append(_ note: LogRecord.Note) {
    switch note {
    case .signature(let program, let secrets):
      append(program)
      appendCount(secrets.count)
      for name in secrets { append(name) }
    case .origin(let origin):
      append(origin)
    case .sources(let sources):
      appendCount(sources.count)
      for source in sources {
        append(source.program)
        append(source.origin)
      }
    }
  }

  private mutating func append(_ name: String, _ edit: Defaults.Edit, flags: UInt8 = 0) {
    append(flags | (edit.entry == nil ? 0 : 1))
    append(name)
    if let value = edit.entry { append(value) }
  }

  private mutating func append(_ file: LogRecord.FileIdentity) {
    append(file.stamp.device)
    append(file.stamp.inode)
    append(UInt64(bitPattern: Int64(file.stamp.size)))
    append(UInt64(bitPattern: Int64(file.stamp.modified.seconds)))
    append(UInt64(bitPattern: Int64(file.stamp.modified.nanoseconds)))
    append(file.checksum)
    append(file.form.rawValue)
  }

  private mutating func append(_ base: LogState.Base) {
    append(base.id)
    append(base.version.microseconds)
    let content: UInt8 =
      switch base.content {
      case .announced: 0
      case .file: 1
      case .absent: 2
      }
    append(content)
    append((base.isPlaced ? 1 : 0) | (base.isAfterDamage ? 2 : 0) as UInt8)
    append(base.temporaryName)
    if let file = base.file { append(file) }
    for edits in [base.changed, base.differing] {
      appendCount(edits.count)
      for (name, edit) in edits { append(name, edit) }
    }
  }
}

extension LogRecord.Content {
  fileprivate var kind: UInt8 {
    switch self {
    case .set: 0
    case .joined: 1
    case .exportBegan: 2
    case .exported: 3
    case .placed: 4
    case .mergeBegan: 5
    case .merged: 6
    case .doubt: 7
    case .checkpoint(.entries): 8
    case .checkpoint(.base): 9
    case .checkpoint(.end): 10
    case .checkpoint(.past): 11
    case .abandoned: 12
    case .note(.signature): 128
    case .note(.origin): 129
    case .note(.sources): 130
    case .note(nil): .max
    }
  }
}
