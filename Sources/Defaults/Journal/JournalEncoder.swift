extension Defaults {
  /// Writes the form that a journal has on the disk.
  ///
  /// All numbers are little-endian and of fixed width. The header: magic (8 bytes), id, previous id
  /// (8 each), base (57), checksum of all that (4). A record: length of its body (4), checksum (4),
  /// body. A body: kind (1), writer (8), durable (8), the base if the kind has one (57), number of
  /// changes (4), the changes. A change: flags (1), name, the value unless it was removed, the
  /// previous value if there is one. A value: its tag (1) and what the tag says; text, data, and
  /// collections begin with their count (4). No value has fewer than two bytes, which bounds the
  /// memory that a damaged journal can take.
  struct JournalEncoder {
    static let magic = Array("DfltJnl1".utf8)
    static let headerSize = 8 + 8 + 8 + baseSize + 4
    static let baseSize = 1 + 7 * 8
    /// Length and checksum.
    static let prefixSize = 8
    /// The shortest body: one without changes.
    static let leastBody = 1 + 8 + 8 + 4

    private(set) var bytes: [UInt8] = []

    static func encode(_ header: JournalHeader) -> [UInt8] {
      var encoder = Self()
      encoder.bytes += magic
      encoder.append(header.id)
      encoder.append(header.previous)
      encoder.append(header.base)
      encoder.append(Checksum.of(encoder.bytes))
      return encoder.bytes
    }

    /// Makes the bytes those of a record, in the same memory.
    mutating func encode(_ record: JournalRecord, journal id: UInt64) {
      bytes.removeAll(keepingCapacity: true)
      append(0 as UInt64)  // the prefix, filled in below
      switch record.kind {
      case .changes:
        appendBodyStart(0, record)
      case .snapshot(let base):
        appendBodyStart(1, record)
        append(base)
      case .edited(let base):
        appendBodyStart(2, record)
        append(base)
      }
      appendCount(record.changes.count)
      for change in record.changes { append(change) }
      let length = UInt32(truncatingIfNeeded: bytes.count - Self.prefixSize)
      let checksum = Self.checksum(ofBody: bytes[Self.prefixSize...], journal: id)
      let prefix = (UInt64(checksum) << 32 | UInt64(length)).littleEndian
      bytes.withUnsafeMutableBytes { $0.storeBytes(of: prefix, as: UInt64.self) }
    }

    static func checksum(ofBody body: some Collection<UInt8>, journal id: UInt64) -> UInt32 {
      Checksum.of(
        body, after: UInt32(truncatingIfNeeded: id ^ id >> 32) ^ UInt32(truncating(body.count)))
    }

    private static func truncating(_ count: Int) -> UInt32 { UInt32(truncatingIfNeeded: count) }
  }
}

extension Defaults.JournalEncoder {
  private mutating func appendBodyStart(_ kind: UInt8, _ record: Defaults.JournalRecord) {
    bytes.append(kind)
    append(record.writer)
    append(UInt64(record.durable))
  }

  private mutating func append(_ change: Defaults.JournalRecord.Change) {
    var flags: UInt8 = 0
    if change.edit != .remove { flags |= 1 }
    if let previous = change.previous { flags |= previous == .remove ? 2 : 6 }
    bytes.append(flags)
    append(change.name)
    if let value = change.edit.entry { append(value) }
    if let value = change.previous?.entry { append(value) }
  }

  private mutating func append(_ base: Defaults.FileBase) {
    bytes.append(base.version == nil ? 0 : base.changed == nil ? 1 : 2)
    append(base.version?.device ?? 0)
    append(base.version?.inode ?? 0)
    append(UInt64(bitPattern: Int64(base.version?.size ?? 0)))
    for time in [base.version?.modified, base.changed] {
      append(UInt64(bitPattern: Int64(time?.seconds ?? 0)))
      append(UInt64(bitPattern: Int64(time?.nanoseconds ?? 0)))
    }
  }

  private mutating func append(_ value: Defaults.PropertyListValue) {
    switch value {
    case .bool(let value):
      bytes += [1, value ? 1 : 0]
    case .integer(let value):
      bytes.append(2)
      append(UInt64(bitPattern: value))
    case .unsignedInteger(let value):
      bytes.append(3)
      append(value)
    case .real(let value):
      bytes.append(4)
      append(value.bitPattern)
    case .string(let value):
      bytes.append(5)
      append(value)
    case .date(let value):
      bytes.append(6)
      append(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value):
      bytes.append(7)
      appendCount(value.count)
      bytes += value
    case .array(let elements):
      bytes.append(8)
      appendCount(elements.count)
      for element in elements { append(element) }
    case .dictionary(let elements):
      bytes.append(9)
      appendCount(elements.count)
      for (key, element) in elements {
        append(key)
        append(element)
      }
    }
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      appendCount(utf8.count)
      bytes += utf8
    }
  }

  private mutating func appendCount(_ count: Int) {
    append(UInt32(truncatingIfNeeded: count))
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}
