import Foundation

/// Reads the bytes of ``ByteWriter``. Any other bytes give nil, and never a trap.
///
/// Time and memory are proportional to the number of bytes.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0
  /// The number of bytes that the collections being read still need.
  private var promised = 0

  init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  var isAtEnd: Bool { position == bytes.count }

  /// Reads a count and as many elements, each of at least `leastSize` bytes.
  ///
  /// Reserves these bytes, so that nested collections can't all claim the same bytes and allocate
  /// memory for them. Reading an element ends its reservation.
  mutating func elements<Element>(
    leastSize: Int, _ element: (inout Self) -> Element?
  ) -> [Element]? {
    guard let count = count(leastSize: leastSize) else { return nil }
    promised += count * leastSize
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      promised -= leastSize
      guard let element = element(&self) else { return nil }
      elements.append(element)
    }
    return elements
  }

  mutating func value(depth: Int = 1) -> Defaults.PropertyListValue? {
    guard depth <= Defaults.PropertyListValue.maximumDepth, let tag = byte() else { return nil }
    switch tag {
    case 1:
      return flag().map { .bool($0) }
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
      return elements(leastSize: 2) { $0.value(depth: depth + 1) }.map { .array($0) }
    case 9:
      let pairs = elements(leastSize: 6) { reader -> (String, Defaults.PropertyListValue)? in
        guard let key = reader.text(), let value = reader.value(depth: depth + 1) else {
          return nil
        }
        return (key, value)
      }
      let dictionary = pairs.map { Dictionary($0) { first, _ in first } }
      return dictionary?.count == pairs?.count ? dictionary.map { .dictionary($0) } : nil
    default:
      return nil
    }
  }

  mutating func text() -> String? {
    guard let count = count(leastSize: 1) else { return nil }
    let bytes = take(count)
    // A third of the time of `String(validating:as:)`, which isn't specialized. Invalid bytes are
    // replaced, so the text then differs.
    var text = bytes.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    let isExact = text.withUTF8 { utf8 in
      guard let decoded = utf8.baseAddress, let original = bytes.baseAddress else {
        return count == 0
      }
      return utf8.count == count && memcmp(decoded, original, count) == 0
    }
    return isExact ? text : nil
  }

  mutating func flag() -> Bool? {
    guard let value = byte(), value <= 1 else { return nil }
    return value == 1
  }

  mutating func byte() -> UInt8? { number() }

  mutating func integer() -> Int? {
    number().map { (bits: UInt64) in Int(truncatingIfNeeded: Int64(bitPattern: bits)) }
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
    let size = MemoryLayout<Number>.size
    guard position >= 0, size <= bytes.count - position else { return nil }
    defer { position += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
  }

  /// Reads a count of elements that each need at least `leastSize` bytes and so fit into the rest.
  private mutating func count(leastSize: Int) -> Int? {
    guard let count: UInt32 = number(),
      Int(count) <= (bytes.count - position - promised) / leastSize
    else { return nil }
    return Int(count)
  }

  /// Returns the next bytes. The caller has checked that they exist.
  private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }
}
