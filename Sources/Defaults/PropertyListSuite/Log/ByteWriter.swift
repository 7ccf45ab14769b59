import Foundation

/// Writes numbers, texts and values in the format of a log.
///
/// All numbers are little-endian and of fixed width. Texts, data and collections begin with their
/// count (4 bytes). A value is a tag (1 byte) and the content for that tag. No value has fewer than
/// two bytes, which bounds the memory for reading a damaged log.
///
/// All records share one buffer: an array that grew by one number at a time took half of the time
/// that a set spends outside of the system.
struct ByteWriter: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
  private(set) var count = 0

  deinit { memory.deallocate() }

  /// The bytes that were appended since the last `clear`; valid until the next mutation.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Removes all bytes, and returns the memory of a large record.
  mutating func clear() {
    if count > 1 << 20 { self = Self() }
    count = 0
  }

  mutating func append(_ value: Defaults.PropertyListValue) {
    switch value {
    case .bool(let value):
      append(1 as UInt8)
      append(value ? 1 : 0 as UInt8)
    case .integer(let value):
      append(2 as UInt8)
      append(UInt64(bitPattern: value))
    case .unsignedInteger(let value):
      // A reader accepts each number in one form only.
      if let value = Int64(exactly: value) { return append(.integer(value)) }
      append(3 as UInt8)
      append(value)
    case .real(let value):
      append(4 as UInt8)
      append(value.bitPattern)
    case .string(let value):
      append(5 as UInt8)
      append(value)
    case .date(let value):
      append(6 as UInt8)
      append(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value):
      append(7 as UInt8)
      appendCount(value.count)
      value.withUnsafeBytes { append(bytes: $0) }
    case .array(let elements):
      append(8 as UInt8)
      appendCount(elements.count)
      for element in elements { append(element) }
    case .dictionary(let elements):
      append(9 as UInt8)
      appendCount(elements.count)
      for (key, element) in elements {
        append(key)
        append(element)
      }
    }
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      appendCount(utf8.count)
      append(bytes: UnsafeRawBufferPointer(utf8))
    }
  }

  mutating func appendCount(_ count: Int) {
    // Traps instead of wrapping around. `SizeLimit` rejects all values near that size.
    append(UInt32(count))
  }

  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    reserve(number.bitWidth / 8)
    memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
    count += number.bitWidth / 8
  }

  mutating func append(bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  /// Replaces a number that was appended at an offset.
  mutating func overwrite(_ number: UInt64, at offset: Int) {
    memory.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  @inline(__always)
  private mutating func reserve(_ size: Int) {
    if count + size > memory.count { grow(by: size) }
  }

  // Apart, so that the usual case is inlined.
  @inline(never)
  private mutating func grow(by size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(count + size, 2 * memory.count), alignment: 8)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
  }
}
