import Defaults
import Foundation

/// The objects of a binary property list, read one by one at any offset, without a table.
struct BinaryObjects {
  enum Kind {
    case bool, integer, real, date, data, asciiString, utf16String, array, dictionary
  }

  struct Object {
    var kind: Kind
    var start: Int
    /// The offset of the content, after marker and count.
    var content: Int
    var end: Int
    /// The number of bytes, characters, code units, elements or entries; for a bool 0 or 1.
    var count: Int
  }

  let bytes: [UInt8]
  let referenceSize: Int
  /// The end of the objects.
  let limit: Int

  static let magicSize = 8

  /// The object that begins at an offset; nil if there is none.
  func object(at start: Int) -> Object? {
    guard start >= 0, start < limit else { return nil }
    let low = Int(bytes[start] & 0x0f)
    switch bytes[start] >> 4 {
    case 0x0 where low == 8 || low == 9:
      return Object(kind: .bool, start: start, content: start + 1, end: start + 1, count: low - 8)
    case 0x1 where low <= 4: return sized(.integer, start, 1 << low)
    case 0x2 where low == 2 || low == 3: return sized(.real, start, 1 << low)
    case 0x3 where low == 3: return sized(.date, start, 8)
    case 0x4: return counted(.data, start, unit: 1)
    case 0x5: return counted(.asciiString, start, unit: 1)
    case 0x6: return counted(.utf16String, start, unit: 2)
    case 0xa: return counted(.array, start, unit: referenceSize)
    case 0xd: return counted(.dictionary, start, unit: 2 * referenceSize)
    default: return nil
    }
  }

  /// The unsigned integer of at most 8 bytes at an offset; nil beyond the end.
  func integer(at offset: Int, size: Int) -> UInt64? {
    guard offset >= 0, size <= 8, offset <= bytes.count - size else { return nil }
    return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  func reference(at offset: Int) -> Int? {
    integer(at: offset, size: referenceSize).flatMap { Int(exactly: $0) }
  }

  private func sized(_ kind: Kind, _ start: Int, _ count: Int) -> Object? {
    guard count <= limit - (start + 1) else { return nil }
    return Object(
      kind: kind, start: start, content: start + 1, end: start + 1 + count, count: count)
  }

  private func counted(_ kind: Kind, _ start: Int, unit: Int) -> Object? {
    guard let (count, content) = count(at: start), count <= (limit - content) / unit else {
      return nil
    }
    return Object(
      kind: kind, start: start, content: content, end: content + count * unit, count: count)
  }

  /// The count in or after a marker, and the offset of the content.
  func count(at start: Int) -> (count: Int, content: Int)? {
    let low = Int(bytes[start] & 0x0f)
    guard low == 0x0f else { return (low, start + 1) }
    guard start + 1 < limit, bytes[start + 1] & 0xfc == 0x10 else { return nil }
    let size = 1 << Int(bytes[start + 1] & 0x03)
    let content = start + 2 + size
    guard content <= limit, let count = integer(at: start + 2, size: size),
      let count = Int(exactly: count)
    else { return nil }
    return (count, content)
  }
}

extension BinaryObjects {
  /// The value of an object that isn't a collection; nil if it is damaged.
  func scalar(_ object: Object) -> PropertyListValue? {
    switch object.kind {
    case .bool: return .bool(object.count == 1)
    case .integer: return integer(object)
    case .real: return real(object).map { .real($0) }
    case .date: return real(object).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .data: return .data(Data(bytes[object.content..<object.end]))
    case .asciiString, .utf16String: return text(object).map { .string($0) }
    case .array, .dictionary: return nil
    }
  }

  /// The text of a string; nil if the object is damaged or not a string.
  func text(_ object: Object) -> String? {
    let content = bytes[object.content..<object.end]
    switch object.kind {
    case .asciiString:
      return content.allSatisfy { $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil
    case .utf16String:
      let units = stride(from: object.content, to: object.end, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(validating: units, as: UTF16.self)
    default: return nil
    }
  }

  private func integer(_ object: Object) -> PropertyListValue? {
    guard object.count == 16 else {
      return integer(at: object.content, size: object.count).map {
        .integer(Int64(bitPattern: $0))
      }
    }
    guard let high = integer(at: object.content, size: 8),
      let low = integer(at: object.content + 8, size: 8)
    else { return nil }
    if high == 0 { return PropertyListValue(exactly: low) }
    let signed = Int64(bitPattern: low)
    return high == .max && signed < 0 ? .integer(signed) : nil
  }

  private func real(_ object: Object) -> Double? {
    guard let bits = integer(at: object.content, size: object.count) else { return nil }
    return object.count == 8
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }
}
