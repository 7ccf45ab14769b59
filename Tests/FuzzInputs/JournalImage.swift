import Defaults
import Foundation

/// A journal assembled byte by byte, only from the description of its format.
///
/// It can contain records that no encoder writes, and repair the checksums of a damaged journal so
/// that the decoder reads the damage.
package struct JournalImage {
  package typealias Value = Defaults.PropertyListValue

  /// The change of one name.
  package struct Change {
    package var name: String
    /// nil removes the entry.
    package var value: Value?

    package init(_ name: String, _ value: Value?) {
      self.name = name
      self.value = value
    }
  }

  package static let headerSize = 20
  private static let prefixSize = 8
  private static let leastBody = 25

  package private(set) var bytes: [UInt8]
  private let id: UInt64

  /// Creates a journal that begins with the checkpoint of an empty suite.
  package init(id: UInt64) {
    self.id = id
    bytes = Array("DfltLog2".utf8) + Self.little(id)
    bytes += Self.little(Self.checksum(bytes[...]))
    append(content: (0..<3).flatMap { _ in Self.little(0 as UInt64) }, kind: 10)
  }

  /// Appends a record that sets entries, or a record of another kind that ends in changes: 1
  /// joined, 8 a checkpoint.
  package mutating func append(_ changes: [Change], kind: UInt8 = 0, durable: UInt64 = 0) {
    var content = Self.little(UInt32(changes.count))
    for change in changes {
      content += Self.bytes(of: change)
      if kind > 0 { content += Self.little(5 as UInt64) + Self.little(7 as UInt64) }
    }
    append(content: content, kind: kind, durable: durable)
  }

  /// Appends a record with this content.
  package mutating func append(content: [UInt8], kind: UInt8, durable: UInt64 = 0) {
    let head = [kind] + Self.little(7 as UInt64) + Self.little(1 as UInt64)
    append(body: head + Self.little(durable) + content)
  }

  /// Appends the announcement of an export (kind 2) or one of its steps: 3 exported, 4 placed, 5
  /// the beginning of a merge.
  package mutating func appendExport(_ id: UInt64, kind: UInt8, durable: UInt64 = 0) {
    var content = Self.little(id)
    if kind == 2 { content += Self.bytes(of: "temporary") }
    if kind == 3 {
      content += (1...5).flatMap { Self.little(UInt64($0) << 20) } + Self.little(9 as UInt32) + [0]
    }
    append(content: content, kind: kind, durable: durable)
  }

  /// Appends a record with one change, whose value has these bytes.
  package mutating func append(value: some Collection<UInt8>, named name: String) {
    append(content: Self.little(1 as UInt32) + [1] + Self.bytes(of: name) + value, kind: 0)
  }

  /// Appends a record with this body.
  package mutating func append(body: [UInt8]) {
    bytes += Self.little(UInt32(body.count))
    bytes += Self.little(Self.checksum(body[...], after: Self.start(id, body.count))) + body
  }

  /// Corrects all checksums, and shortens a length that extends beyond the end.
  package static func mend(_ bytes: inout [UInt8]) {
    guard bytes.count >= headerSize else { return }
    put(checksum(bytes[..<(headerSize - 4)]), into: &bytes, at: headerSize - 4)
    let id: UInt64 = number(in: bytes, at: 8)
    var position = headerSize
    while position + prefixSize + leastBody <= bytes.count {
      let rest = bytes.count - position - prefixSize
      var length = Int(number(in: bytes, at: position) as UInt32)
      if !(leastBody...rest ~= length) {
        length = rest
        put(UInt32(truncatingIfNeeded: rest), into: &bytes, at: position)
      }
      let body = position + prefixSize..<position + prefixSize + length
      put(checksum(bytes[body], after: start(id, length)), into: &bytes, at: position + 4)
      position = body.upperBound
    }
  }

  /// The ranges of a journal's records, as far as the lengths are plausible. Final zeros are
  /// unused.
  package static func records(in bytes: [UInt8]) -> [Range<Int>] {
    var records: [Range<Int>] = []
    var position = headerSize
    while position + prefixSize <= bytes.count {
      let end = position + prefixSize + Int(number(in: bytes, at: position) as UInt32)
      guard end <= bytes.count, end > position + prefixSize else { break }
      records.append(position..<end)
      position = end
    }
    return records
  }

  /// The bytes of a value in a record. Dictionaries are sorted by key, so that equal values have
  /// equal bytes in every process.
  package static func bytes(of value: Value) -> [UInt8] {
    switch value {
    case .bool(let value): [1, value ? 1 : 0]
    case .integer(let value): [2] + little(value)
    case .unsignedInteger(let value): [3] + little(value)
    case .real(let value): [4] + little(value.bitPattern)
    case .string(let value): [5] + bytes(of: value)
    case .date(let value): [6] + little(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): [7] + little(UInt32(value.count)) + value
    case .array(let elements):
      elements.reduce(into: [8] + little(UInt32(elements.count))) { $0 += bytes(of: $1) }
    case .dictionary(let elements):
      elements.sorted { $0.key < $1.key }
        .reduce(into: [9] + little(UInt32(elements.count))) {
          $0 += bytes(of: $1.key) + bytes(of: $1.value)
        }
    }
  }
}

extension JournalImage {
  private static func bytes(of change: Change) -> [UInt8] {
    [change.value == nil ? 0 : 1] + bytes(of: change.name) + (change.value.map(bytes) ?? [])
  }

  private static func bytes(of text: String) -> [UInt8] {
    little(UInt32(text.utf8.count)) + text.utf8
  }

  private static func start(_ id: UInt64, _ count: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: id ^ id >> 32) ^ UInt32(truncatingIfNeeded: count)
  }

  /// CRC-32 as in zlib.
  private static func checksum(_ bytes: ArraySlice<UInt8>, after start: UInt32 = 0) -> UInt32 {
    let table = table
    return ~bytes.reduce(~start) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ value >> 1
    }
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func number<Number: FixedWidthInteger>(
    in bytes: [UInt8], at offset: Int
  ) -> Number {
    (0..<MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number(bytes[offset + $1]) }
  }

  private static func put(_ number: UInt32, into bytes: inout [UInt8], at offset: Int) {
    for (index, byte) in little(number).enumerated() { bytes[offset + index] = byte }
  }
}
