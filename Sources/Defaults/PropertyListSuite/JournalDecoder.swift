import Foundation

/// Reads what ``JournalEncoder`` writes; any other bytes give nil, and never a trap.
///
/// Time and memory are proportional to the bytes.
package struct JournalDecoder {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// What the counts so far say that there must be yet: at least so many bytes.
  private var promised = 0

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The header of a journal, of which this is the beginning.
  package static func header(_ bytes: UnsafeRawBufferPointer) -> JournalHeader? {
    guard bytes.count >= JournalEncoder.headerSize,
      bytes.starts(with: JournalEncoder.magic)
    else { return nil }
    var decoder = Self(bytes)
    decoder.position = JournalEncoder.magic.count
    guard let id: UInt64 = decoder.number(), let previous: UInt64 = decoder.number(),
      let base = decoder.base(),
      case let checked = UnsafeRawBufferPointer(rebasing: bytes[..<decoder.position]),
      let checksum: UInt32 = decoder.number(), checksum == Defaults.Checksum.of(checked)
    else { return nil }
    return JournalHeader(id: id, previous: previous, base: base)
  }

  /// The record at an offset of a journal, and where it ends.
  package static func record(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, journal id: UInt64
  ) -> (record: JournalRecord, end: Int)? {
    guard let body = body(bytes, at: offset, journal: id) else { return nil }
    var decoder = Self(UnsafeRawBufferPointer(rebasing: bytes[body]))
    guard let record = decoder.record(), decoder.position == body.count else { return nil }
    return (record, body.upperBound)
  }

  /// The change that begins at an offset of the body of a record, and where it ends: for one whose
  /// checksum isn't right, to save what can be read.
  package static func change(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (change: JournalRecord.Change, end: Int)? {
    var decoder = Self(bytes)
    decoder.position = offset
    return decoder.change().map { ($0, decoder.position) }
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
    var decoder = Self(bytes)
    decoder.position = offset
    guard let length: UInt32 = decoder.number(), let checksum: UInt32 = decoder.number(),
      length >= JournalEncoder.leastBody, Int(length) <= bytes.count - decoder.position
    else { return nil }
    let body = decoder.position..<decoder.position + Int(length)
    let actual = JournalEncoder.checksum(
      ofBody: UnsafeRawBufferPointer(rebasing: bytes[body]), journal: id)
    return checksum == actual ? body : nil
  }
}

extension JournalDecoder {
  private mutating func record() -> JournalRecord? {
    guard let tag = byte(), let writer: UInt64 = number(), let durable: UInt64 = number(),
      let kind = kind(tag), let count = elementCount(leastSize: 6)
    else { return nil }
    var changes: [JournalRecord.Change] = []
    changes.reserveCapacity(count)
    for _ in 0..<count {
      promised -= 6
      guard let change = change() else { return nil }
      changes.append(change)
    }
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

  private mutating func change() -> JournalRecord.Change? {
    guard let flags = byte(), flags < 16, let name = text(), !name.isEmpty,
      let edit = edit(isSet: flags & 1 != 0)
    else { return nil }
    var change = JournalRecord.Change(name: name, edit: edit)
    if flags & 2 != 0 {
      guard let previous = self.edit(isSet: flags & 4 != 0) else { return nil }
      change.previous = previous
    } else if flags & 4 != 0 {
      return nil
    }
    if flags & 8 != 0 {
      guard let mark: UInt64 = number(), mark > 0 else { return nil }
      change.mark = mark
    }
    return change
  }

  private mutating func edit(isSet: Bool) -> Edit? {
    guard isSet else { return .remove }
    return value(depth: 1).map { .set($0) }
  }

  private mutating func base() -> FileBase? {
    guard let tag = byte(), tag <= 2, let device: UInt64 = number(),
      let inode: UInt64 = number(), let size = integer(), let modified = time(),
      let changed = time()
    else { return nil }
    guard tag > 0 else { return FileBase.absent }
    return FileBase(
      version: .init(device: device, inode: inode, size: size, modified: modified),
      changed: tag == 2 ? changed : nil)
  }

  private mutating func value(depth: Int) -> PropertyListValue? {
    guard depth <= PropertyListValue.maximumDepth, let tag = byte() else { return nil }
    switch tag {
    case 1:
      guard let value = byte(), value <= 1 else { return nil }
      return .bool(value == 1)
    case 2:
      return number().map { (bits: UInt64) in .integer(Int64(bitPattern: bits)) }
    case 3:
      guard let value: UInt64 = number(), value > Int64.max else { return nil }
      return .unsignedInteger(value)
    case 4:
      return number().map { (bits: UInt64) in .real(Double(bitPattern: bits)) }
    case 5:
      return text().map { .string($0) }
    case 6:
      return number().map { (bits: UInt64) in
        .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
      }
    case 7:
      guard let count = count(leastSize: 1) else { return nil }
      return .data(Data(take(count)))
    case 8:
      return array(depth: depth)
    case 9:
      return dictionary(depth: depth)
    default:
      return nil
    }
  }

  private mutating func array(depth: Int) -> PropertyListValue? {
    guard let count = elementCount(leastSize: 2) else { return nil }
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      promised -= 2
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    }
    return .array(elements)
  }

  private mutating func dictionary(depth: Int) -> PropertyListValue? {
    guard let count = elementCount(leastSize: 6) else { return nil }
    var elements = [String: PropertyListValue](minimumCapacity: count)
    for _ in 0..<count {
      promised -= 6
      guard let key = text(), let element = value(depth: depth + 1),
        elements.updateValue(element, forKey: key) == nil
      else { return nil }
    }
    return .dictionary(elements)
  }

  private mutating func text() -> String? {
    guard let count = count(leastSize: 1) else { return nil }
    return String(validating: take(count), as: UTF8.self)
  }

  /// A count of elements that have at least so many bytes each, and so fit into what is left.
  ///
  /// They are promised, so that collections in each other can't all claim the same bytes and
  /// reserve memory for them: whoever reads an element takes its promise back before.
  private mutating func elementCount(leastSize: Int) -> Int? {
    guard let count = count(leastSize: leastSize) else { return nil }
    promised += count * leastSize
    return count
  }

  /// A count of things that have at least so many bytes each, and so fit into what is left.
  private mutating func count(leastSize: Int) -> Int? {
    guard let count: UInt32 = number(),
      Int(count) <= (bytes.count - position - promised) / leastSize
    else { return nil }
    return Int(count)
  }

  /// The next bytes; the caller has checked that they are there.
  private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  private mutating func byte() -> UInt8? { number() }

  private mutating func integer() -> Int? {
    number().map { (bits: UInt64) in Int(truncatingIfNeeded: Int64(bitPattern: bits)) }
  }

  private mutating func time() -> FileTime? {
    guard let seconds = integer(), let nanoseconds = integer() else { return nil }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
    let size = MemoryLayout<Number>.size
    guard position >= 0, size <= bytes.count - position else { return nil }
    defer { position += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
  }
}
