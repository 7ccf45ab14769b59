/// Reads the bytes of ``LogEncoder``. Any other bytes give nil, and never a trap.
package enum LogDecoder {
  /// The highest kind of record that this version knows.
  package static let lastKind: UInt8 = 12
  /// The lowest kind of record that changes no state, so that a reader may skip it.
  package static let firstNote: UInt8 = 128
  /// The size of the shortest body, which has no content.
  package static let leastBody = 1 + 8 + 8 + 8

  /// Returns the record at an offset of a log, and its end.
  package static func record(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64
  ) -> (record: LogRecord, end: Int)? {
    guard let body = body(bytes, at: offset, log: id) else { return nil }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[body]))
    guard let record = reader.record() else { return nil }
    // A later version may add to a note.
    if !reader.isAtEnd {
      guard case .note = record.content else { return nil }
    }
    return (record, body.upperBound)
  }

  /// Returns parts of the record at an offset, if it changes only one entry, and the next record
  /// changes only the same entry, so that only the next record needs to be applied.
  ///
  /// - Parameters:
  ///   - limit: The offset before which the next record must begin.
  ///   - verified: The end of a record that an earlier call found valid; updated.
  ///   - keeps: Returns whether a change of an entry must be applied nevertheless.
  static func superseded(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, before limit: Int = .max, log id: UInt64,
    verified: inout Int, keeps: (String) -> Bool
  ) -> (version: LogVersion, name: String, end: Int)? {
    // The checksums take longest, so they are compared last.
    func onlyChange(at offset: Int) -> (version: LogVersion, name: String, end: Int)? {
      guard let (body, _) = prefix(bytes, at: offset) else { return nil }
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[body]))
      return reader.onlyChange().map { ($0.version, $0.name, body.upperBound) }
    }
    guard let old = onlyChange(at: offset), old.end < limit, let new = onlyChange(at: old.end),
      old.name == new.name, !keeps(old.name),
      old.end == verified || body(bytes, at: offset, log: id) != nil,
      body(bytes, at: old.end, log: id) != nil
    else { return nil }
    verified = new.end
    return old
  }

  /// Returns whether the record at an offset is of a kind that this version doesn't know.
  static func isUnknown(_ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64) -> Bool {
    // The kind comes first, and is compared first, since the checksum takes longer.
    guard let (body, _) = prefix(bytes, at: offset),
      (lastKind + 1..<firstNote).contains(bytes[body.lowerBound])
    else { return false }
    return self.body(bytes, at: offset, log: id) != nil
  }

  /// Returns the range of the body of the record that the bytes at an offset resemble, before their
  /// checksum is computed, which takes time in proportion to the body; nil if they can't be a
  /// record. `limit` is the record's offset in the log, if it is known: no later byte was durable.
  package static func likelyBody(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, durableUpTo limit: Int? = nil
  ) -> Range<Int>? {
    guard let (body, _) = prefix(bytes, at: offset) else { return nil }
    // After the kind and the writer.
    var reader = ByteReader(bytes, at: body.lowerBound + 9)
    guard reader.version() != nil, let durable = reader.integer(),
      (0...(limit ?? Defaults.SizeLimit.readableJournal)).contains(durable)
    else { return nil }
    return body
  }

  /// Returns the range of the body of the record at an offset, if its checksum is right.
  static func body(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, log id: UInt64
  ) -> Range<Int>? {
    guard let (body, checksum) = prefix(bytes, at: offset) else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: bytes[body])
    return LogEncoder.checksum(ofBody: content, log: id) == checksum ? body : nil
  }

  /// Returns the range of the body of the record at an offset, and its expected checksum.
  static func prefix(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (body: Range<Int>, checksum: UInt32)? {
    var prefix = ByteReader(bytes, at: offset)
    guard let length: UInt32 = prefix.number(), let checksum: UInt32 = prefix.number(),
      Int(length) >= Self.leastBody, Int(length) <= bytes.count - prefix.position
    else { return nil }
    return (prefix.position..<(prefix.position + Int(length)), checksum)
  }
}

// MARK: - The parts of a record

extension ByteReader {
  fileprivate mutating func record() -> LogRecord? {
    guard let kind = byte(), let writer: UInt64 = number(), let version = version(),
      let durable = integer(), durable >= 0, let content = content(kind)
    else { return nil }
    return LogRecord(writer: writer, version: version, durable: durable, content: content)
  }

  /// Reads the version and the name in a record of kind 0, if it has one change.
  fileprivate mutating func onlyChange() -> (version: LogVersion, name: String)? {
    guard byte() == 0, let _: UInt64 = number(), let version = version(), integer() != nil,
      let count: UInt32 = number(), count == 1, byte() != nil, let name = text()
    else { return nil }
    return (version, name)
  }

  private mutating func content(_ kind: UInt8) -> LogRecord.Content? {
    switch kind {
    case 0:
      return elements(leastSize: 5) { reader in
        reader.edit().map { LogRecord.Change(name: $0.name, edit: $0.edit) }
      }.map { .set($0) }
    case 1: return elements(leastSize: 21) { $0.joinedChange() }.map { .joined($0) }
    case 2:
      guard let id: UInt64 = number(), let name = text() else { return nil }
      return .exportBegan(id: id, temporaryName: name)
    case 3:
      guard let id: UInt64 = number(), let file = file() else { return nil }
      return .exported(id: id, file)
    case 4: return number().map { .placed(id: $0) }
    case 5: return number().map { .mergeBegan(id: $0) }
    case 6: return merged()
    case 7: return .doubt
    case 8: return elements(leastSize: 21) { $0.joinedChange() }.map { .checkpoint(.entries($0)) }
    case 9: return base().map { .checkpoint(.base($0)) }
    case 10:
      guard let count = integer(), count >= 0, let latest = version(), let discarded = version()
      else { return nil }
      return .checkpoint(.end(count: count, LogState.Horizon(latest: latest, discarded: discarded)))
    case 11: return elements(leastSize: 18) { $0.pastChange() }.map { .checkpoint(.past($0)) }
    case 12: return .abandoned
    case LogDecoder.firstNote...: return .note(note(kind))
    default: return nil
    }
  }

  private mutating func note(_ kind: UInt8) -> LogRecord.Note? {
    switch kind {
    case 128:
      guard let program = text(), let secrets = elements(leastSize: 4, { $0.text() }) else {
        return nil
      }
      return .signature(program: program, secrets: secrets)
    case 129: return text().map { .origin($0) }
    case 130: return elements(leastSize: 8) { $0.source() }.map { .sources($0) }
    default: return nil
    }
  }

  private mutating func source() -> LogRecord.Source? {
    guard let program = text(), let origin = text() else { return nil }
    return LogRecord.Source(program: program, origin: origin)
  }

  private mutating func joinedChange() -> LogRecord.JoinedChange? {
    guard let (name, edit, _) = edit(), let version = version(), let writer: UInt64 = number()
    else { return nil }
    return LogRecord.JoinedChange(name: name, edit: edit, version: version, writer: writer)
  }

  private mutating func pastChange() -> LogRecord.PastChange? {
    guard let old = edit(), let new = edit(), let version = version() else { return nil }
    return LogRecord.PastChange(name: new.name, old: old.edit, new: new.edit, version: version)
  }

  private mutating func merged() -> LogRecord.Content? {
    guard let id: UInt64 = number(), let hasFile = flag() else { return nil }
    let file = hasFile ? file() : nil
    if hasFile, file == nil { return nil }
    return elements(leastSize: 5) { reader in
      reader.edit(allowing: 3).map {
        LogRecord.FileDifference(name: $0.name, edit: $0.edit, isEdited: $0.flags & 2 != 0)
      }
    }.map { .merged(id: id, file, $0) }
  }

  private mutating func base() -> LogState.Base? {
    guard let id: UInt64 = number(), let version = version(), let tag = byte(), let flags = byte(),
      flags <= 3, let name = text()
    else { return nil }
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
    (base.changed, base.differing) = (changed, differing)
    return base
  }

  private mutating func edits() -> [String: Defaults.Edit]? {
    let edits = elements(leastSize: 5) { $0.edit() }
    return edits.map { Dictionary($0.map { ($0.name, $0.edit) }) { _, last in last } }
  }

  private mutating func file() -> LogRecord.FileIdentity? {
    guard let device: UInt64 = number(), let inode: UInt64 = number(), let size = integer(),
      let seconds = integer(), let nanoseconds = integer(), let checksum: UInt32 = number(),
      let form = byte().flatMap(LogRecord.FileIdentity.Form.init),
      0..<1_000_000_000 ~= nanoseconds
    else { return nil }
    let stamp = FileVersion(
      device: device, inode: inode, size: size,
      modified: FileTime(seconds: seconds, nanoseconds: nanoseconds))
    return LogRecord.FileIdentity(stamp: stamp, checksum: checksum, form: form)
  }

  /// Reads a version. A version beyond ``LogVersion/limit`` is damaged.
  mutating func version() -> LogVersion? {
    guard let microseconds: UInt64 = number(), microseconds <= LogVersion.limit.microseconds
    else { return nil }
    return LogVersion(microseconds)
  }

  mutating func edit(
    allowing allowed: UInt8 = 1
  ) -> (name: String, edit: Defaults.Edit, flags: UInt8)? {
    guard let flags = byte(), flags <= allowed, let name = text() else { return nil }
    guard flags & 1 != 0 else { return (name, .remove, flags) }
    return value().map { (name, .set($0), flags) }
  }
}
