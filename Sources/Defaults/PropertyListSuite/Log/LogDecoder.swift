/// Reads the bytes of ``LogEncoder``. Any other bytes give nil, and never a trap.
package struct LogDecoder {
  private var reader: ByteReader

  /// Returns the record at an offset of a log, and its end.
  package static func record(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64
  ) -> (record: LogRecord, end: Int)? {
    guard let body = body(bytes, at: offset, log: id) else { return nil }
    var decoder = Self(reader: ByteReader(UnsafeRawBufferPointer(rebasing: bytes[body])))
    guard var record = decoder.record() else { return nil }
    if !decoder.reader.isAtEnd {
      guard case .note = record.content else { return nil }
      record.content = .note(nil)
    }
    return (record, body.upperBound)
  }

  /// Returns whether the record at an offset is valid, but of a kind that this version doesn't
  /// know.
  static func isNewerRecord(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64
  ) -> Bool {
    guard let body = body(bytes, at: offset, log: id) else { return false }
    return bytes[body.lowerBound] > LogEncoder.lastKind
  }

  /// Returns the range of the body of the record at an offset, if its checksum is right.
  private static func body(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64
  ) -> Range<Int>? {
    var prefix = ByteReader(bytes, at: offset)
    guard let length: UInt32 = prefix.number(), let checksum: UInt32 = prefix.number(),
      Int(length) >= LogEncoder.leastBody, Int(length) <= bytes.count - prefix.position
    else { return nil }
    let body = prefix.position..<(prefix.position + Int(length))
    let content = UnsafeRawBufferPointer(rebasing: bytes[body])
    return LogEncoder.checksum(ofBody: content, log: id) == checksum ? body : nil
  }

  private mutating func record() -> LogRecord? {
    guard let kind = reader.byte(), let writer: UInt64 = reader.number(),
      let version = version(), let durable = reader.integer(), durable >= 0,
      let content = content(kind)
    else { return nil }
    return LogRecord(writer: writer, version: version, durable: durable, content: content)
  }

  private mutating func content(_ kind: UInt8) -> LogRecord.Content? {
    switch kind {
    case 0:
      return reader.elements(leastSize: 5) { reader in
        Self.edit(&reader).map { .init(name: $0.name, edit: $0.edit) }
      }.map { .set($0) }
    case 1: return joinedChanges().map { .joined($0) }
    case 2:
      guard let id: UInt64 = reader.number(), let name = reader.text() else { return nil }
      return .exportBegan(id: id, temporaryName: name)
    case 3:
      guard let id: UInt64 = reader.number(), let file = file() else { return nil }
      return .exported(id: id, file)
    case 4: return reader.number().map { .placed(id: $0) }
    case 5: return reader.number().map { .mergeBegan(id: $0) }
    case 6: return merged()
    case 7: return .doubt
    case 8: return joinedChanges().map { .checkpoint(.entries($0)) }
    case 9: return base().map { .checkpoint(.base($0)) }
    case 10:
      guard let count = reader.integer(), count >= 0, let latest = version(),
        let discarded = version()
      else { return nil }
      return .checkpoint(
        .end(count: count, LogState.Horizon(latest: latest, discarded: discarded)))
    case 11:
      return reader.elements(leastSize: 20) { reader in
        guard let old = Self.edit(&reader), let new = Self.edit(&reader),
          let version = Self.version(&reader)
        else { return nil }
        return LogRecord.PastChange(
          name: new.name, old: old.edit, new: new.edit, version: version)
      }.map { .checkpoint(.past($0)) }
    case 12: return .abandoned
    case LogEncoder.firstNote...: return .note(note(kind))
    default: return nil
    }
  }

  private mutating func note(_ kind: UInt8) -> LogRecord.Note? {
    switch kind {
    case 128:
      guard let program = reader.text(),
        let secrets = reader.elements(leastSize: 4, { $0.text() })
      else { return nil }
      return .signature(program: program, secrets: secrets)
    case 129: return reader.text().map { .origin($0) }
    case 130:
      return reader.elements(leastSize: 8) { reader in
        guard let program = reader.text(), let origin = reader.text() else { return nil }
        return LogRecord.Source(program: program, origin: origin)
      }.map { .sources($0) }
    default: return nil
    }
  }

  private mutating func joinedChanges() -> [LogRecord.JoinedChange]? {
    reader.elements(leastSize: 21) { reader in
      guard let (name, edit, _) = Self.edit(&reader), let version = Self.version(&reader),
        let writer: UInt64 = reader.number()
      else { return nil }
      return .init(name: name, edit: edit, version: version, writer: writer)
    }
  }

  private mutating func merged() -> LogRecord.Content? {
    guard let id: UInt64 = reader.number(), let hasFile = reader.flag() else { return nil }
    var file: LogRecord.FileIdentity?
    if hasFile {
      file = self.file()
      if file == nil { return nil }
    }
    return reader.elements(leastSize: 5) { reader in
      Self.edit(&reader, allowing: 3).map {
        LogRecord.FileDifference(name: $0.name, edit: $0.edit, isEdited: $0.flags & 2 != 0)
      }
    }.map { .merged(id: id, file, $0) }
  }

  private mutating func base() -> LogState.Base? {
    guard let id: UInt64 = reader.number(), let version = version(), let tag = reader.byte(),
      let flags = reader.byte(), flags <= 3
    else { return nil }
    guard let name = reader.text() else { return nil }
    var base = LogState.Base(id: id, version: version, temporaryName: name)
    switch tag {
    case 0: break
    case 1:
      guard let file = file() else { return nil }
      base.content = .file(file)
    case 2: base.content = .absent
    default: return nil
    }
    base.isPlaced = flags & 1 != 0
    base.isAfterDamage = flags & 2 != 0
    guard let changed = edits(), let differing = edits() else { return nil }
    base.changed = changed
    base.differing = differing
    return base
  }

  private mutating func edits() -> [String: Defaults.Edit]? {
    let edits = reader.elements(leastSize: 5) { reader in
      Self.edit(&reader).map { ($0.name, $0.edit) }
    }
    return edits.map { Dictionary($0) { _, last in last } }
  }

  private mutating func file() -> LogRecord.FileIdentity? {
    guard let device: UInt64 = reader.number(), let inode: UInt64 = reader.number(),
      let size = reader.integer(), let seconds = reader.integer(),
      let nanoseconds = reader.integer(), let checksum: UInt32 = reader.number(),
      let form = reader.byte().flatMap(LogRecord.FileIdentity.Form.init)
    else { return nil }
    let stamp = FileVersion(
      device: device, inode: inode, size: size,
      modified: FileTime(seconds: seconds, nanoseconds: nanoseconds))
    return LogRecord.FileIdentity(stamp: stamp, checksum: checksum, form: form)
  }

  private mutating func version() -> LogVersion? { Self.version(&reader) }

  /// Reads a version. A version beyond ``LogVersion/limit`` is damaged.
  static func version(_ reader: inout ByteReader) -> LogVersion? {
    guard let microseconds: UInt64 = reader.number(),
      microseconds <= LogVersion.limit.microseconds
    else { return nil }
    return LogVersion(microseconds)
  }

  static func edit(
    _ reader: inout ByteReader, allowing allowed: UInt8 = 1
  ) -> (name: String, edit: Defaults.Edit, flags: UInt8)? {
    guard let flags = reader.byte(), flags <= allowed, let name = reader.text(), !name.isEmpty
    else { return nil }
    guard flags & 1 != 0 else { return (name, .remove, flags) }
    return reader.value().map { (name, .set($0), flags) }
  }
}
