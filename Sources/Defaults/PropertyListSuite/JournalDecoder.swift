/// Reads what ``JournalEncoder`` writes; any other bytes give nil, and never a trap.
///
/// Time and memory are proportional to the bytes.
package struct JournalDecoder {
  private var reader: ByteReader

  /// The header of a journal, of which this is the beginning.
  package static func header(_ bytes: UnsafeRawBufferPointer) -> JournalHeader? {
    guard bytes.count >= JournalEncoder.headerSize,
      bytes.starts(with: JournalEncoder.magic)
    else { return nil }
    var decoder = Self(reader: ByteReader(bytes, at: JournalEncoder.magic.count))
    guard let id: UInt64 = decoder.reader.number(), let previous: UInt64 = decoder.reader.number(),
      let base = decoder.base(),
      case let checked = UnsafeRawBufferPointer(rebasing: bytes[..<decoder.reader.position]),
      let checksum: UInt32 = decoder.reader.number(), checksum == Defaults.Checksum.of(checked)
    else { return nil }
    return JournalHeader(id: id, previous: previous, base: base)
  }

  /// The record at an offset of a journal, and where it ends.
  package static func record(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, journal id: UInt64
  ) -> (record: JournalRecord, end: Int)? {
    guard let body = body(bytes, at: offset, journal: id) else { return nil }
    var decoder = Self(reader: ByteReader(UnsafeRawBufferPointer(rebasing: bytes[body])))
    guard let record = decoder.record(), decoder.reader.isAtEnd else { return nil }
    return (record, body.upperBound)
  }

  /// The change that begins at an offset of the body of a record, and where it ends: for one whose
  /// checksum isn't right, to save what can be read.
  package static func change(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (change: JournalRecord.Change, end: Int)? {
    var decoder = Self(reader: ByteReader(bytes, at: offset))
    return decoder.change().map { ($0, decoder.reader.position) }
  }

  /// Whether a record at an offset is sound, and of a kind that this version doesn't know.
  static func isNewerRecord(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, journal id: UInt64
  ) -> Bool {
    guard let body = body(bytes, at: offset, journal: id) else { return false }
    return bytes[body.lowerBound] > JournalEncoder.lastKind
  }

  /// Whether these are the first bytes of a journal of a version that this one doesn't know. One
  /// whose header would be sound if it were of this version is damaged.
  static func isNewer(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let magic = JournalEncoder.magic
    guard bytes.count >= magic.count, bytes.starts(with: magic.dropLast()),
      bytes[magic.count - 1] > magic[magic.count - 1]
    else { return false }
    var known = [UInt8](bytes.prefix(JournalEncoder.headerSize))
    known[magic.count - 1] = magic[magic.count - 1]
    return known.withUnsafeBytes { header($0) } == nil
  }

  /// Where the body of a record lies whose checksum is right.
  private static func body(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, journal id: UInt64
  ) -> Range<Int>? {
    var prefix = ByteReader(bytes, at: offset)
    guard let length: UInt32 = prefix.number(), let checksum: UInt32 = prefix.number(),
      length >= JournalEncoder.leastBody, Int(length) <= bytes.count - prefix.position
    else { return nil }
    let body = prefix.position..<prefix.position + Int(length)
    let actual = JournalEncoder.checksum(
      ofBody: UnsafeRawBufferPointer(rebasing: bytes[body]), journal: id)
    return checksum == actual ? body : nil
  }
}

extension JournalDecoder {
  private mutating func record() -> JournalRecord? {
    guard let tag = reader.byte(), let writer: UInt64 = reader.number(),
      let durable: UInt64 = reader.number(), let kind = kind(tag),
      let changes = reader.elements(leastSize: 6, Self.change)
    else { return nil }
    return JournalRecord(
      kind: kind, writer: writer, durable: Int(clamping: durable), changes: changes)
  }

  private mutating func kind(_ tag: UInt8) -> JournalRecord.Kind? {
    switch tag {
    case 0: .changes
    case 1: base().map { .snapshot($0) }
    case 2: base().map { .edited($0) }
    case 3: .restored
    case 4: .filed
    case 5: .succeeded
    default: nil
    }
  }

  private mutating func change() -> JournalRecord.Change? { Self.change(&reader) }

  private static func change(_ reader: inout ByteReader) -> JournalRecord.Change? {
    guard let flags = reader.byte(), flags < 16, let name = reader.text(), !name.isEmpty,
      let edit = Self.edit(&reader, isSet: flags & 1 != 0)
    else { return nil }
    var change = JournalRecord.Change(name: name, edit: edit)
    if flags & 2 != 0 {
      guard let previous = Self.edit(&reader, isSet: flags & 4 != 0) else { return nil }
      change.previous = previous
    } else if flags & 4 != 0 {
      return nil
    }
    if flags & 8 != 0 {
      guard let mark: UInt64 = reader.number(), mark > 0 else { return nil }
      change.mark = mark
    }
    return change
  }

  private static func edit(_ reader: inout ByteReader, isSet: Bool) -> Edit? {
    guard isSet else { return .remove }
    return reader.value().map { .set($0) }
  }

  private mutating func base() -> FileBase? {
    guard let tag = reader.byte(), tag <= 2, let device: UInt64 = reader.number(),
      let inode: UInt64 = reader.number(), let size = reader.integer(), let modified = time(),
      let changed = time()
    else { return nil }
    guard tag > 0 else { return FileBase.absent }
    return FileBase(
      version: .init(device: device, inode: inode, size: size, modified: modified),
      changed: tag == 2 ? changed : nil)
  }

  private mutating func time() -> FileTime? {
    guard let seconds = reader.integer(), let nanoseconds = reader.integer() else { return nil }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }
}
