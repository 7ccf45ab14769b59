/// The positions of the objects in a binary property list: its checked trailer and offset table.
///
///     "bplist00" | objects | offset table | trailer
///
/// The trailer has 32 bytes: six zeros, the size of a table entry, the size of a reference, and as
/// 8-byte integers the number of objects, the index of the root and the table's offset. Everything
/// is big-endian. `PropertyListSerialization` and Python's `plistlib` write the parts without a
/// gap, so a byte that belongs to none of them is damage. After `init`, every object is known to be
/// inside the objects' part, and no two overlap.
struct BinaryPropertyListLayout {
  /// The type of an object, according to its marker.
  enum Kind {
    case bool, integer, real, date, data, asciiString, utf16String, uid, array, dictionary

    var isString: Bool { self == .asciiString || self == .utf16String }
  }

  /// An object whose marker and count were read, but not its content.
  struct Object {
    var kind: Kind
    /// The offset of the marker.
    var start: Int
    /// The offset of the content, after marker and count.
    var content: Int
    /// The offset after the last byte.
    var end: Int
    /// The number of bytes of a number, date or data; of characters, UTF-16 code units, elements or
    /// entries; for a bool, its value.
    var count: Int
  }

  static let magic = Array("bplist00".utf8)
  private static let trailerSize = 32

  let bytes: UnsafeRawBufferPointer
  let referenceSize: Int
  let objectCount: Int
  let root: Int
  private let offsetSize: Int
  private let table: Int
  private let acceptsUIDs: Bool

  /// Reads the trailer and visits every object once, which takes several nanoseconds for each.
  init(_ bytes: UnsafeRawBufferPointer, acceptsUIDs: Bool) throws(ConversionError) {
    guard bytes.starts(with: Self.magic.prefix(6)) else {
      throw ConversionError("it doesn't start with \"bplist00\"", offset: 0)
    }
    guard bytes.starts(with: Self.magic) else {
      throw ConversionError("this version of the binary format isn't known", offset: 6)
    }
    let trailer = bytes.count - Self.trailerSize
    guard trailer >= Self.magic.count else {
      throw ConversionError("the file ends before its trailer", offset: bytes.count)
    }
    if let damaged = (trailer..<trailer + 6).first(where: { bytes[$0] != 0 }) {
      throw ConversionError("the trailer's first six bytes aren't zero", offset: damaged)
    }
    self.bytes = bytes
    self.acceptsUIDs = acceptsUIDs
    offsetSize = Int(bytes[trailer + 6])
    guard 1...8 ~= offsetSize else {
      throw ConversionError("an offset can't have \(offsetSize) bytes", offset: trailer + 6)
    }
    referenceSize = Int(bytes[trailer + 7])
    guard 1...8 ~= referenceSize else {
      throw ConversionError("a reference can't have \(referenceSize) bytes", offset: trailer + 7)
    }
    let count = bytes.integer(at: trailer + 8, size: 8)
    let root = bytes.integer(at: trailer + 16, size: 8)
    let table = bytes.integer(at: trailer + 24, size: 8)
    guard table > UInt64(Self.magic.count), table < UInt64(trailer) else {
      throw ConversionError("there is no room for the offset table", offset: trailer + 24)
    }
    self.table = Int(table)
    let (entries, rest) = (trailer - self.table).quotientAndRemainder(dividingBy: offsetSize)
    guard rest == 0, count == UInt64(entries) else {
      throw ConversionError("the offset table doesn't have \(count) entries", offset: trailer + 8)
    }
    objectCount = entries
    guard root < count else {
      throw ConversionError("the root object doesn't exist", offset: trailer + 16)
    }
    self.root = Int(root)
    try checkThatObjectsTouch()
  }

  /// Returns the object with an index, which must be below `objectCount`.
  func object(_ index: Int) throws(ConversionError) -> Object {
    let entry = table + index * offsetSize
    let offset = bytes.integer(at: entry, size: offsetSize)
    guard offset >= UInt64(Self.magic.count), offset < UInt64(table) else {
      throw ConversionError("the offset of object \(index) is out of bounds", offset: entry)
    }
    return try object(at: Int(offset))
  }

  /// Returns the index of the object in the reference at an offset.
  func reference(at offset: Int) throws(ConversionError) -> Int {
    let index = bytes.integer(at: offset, size: referenceSize)
    guard index < UInt64(objectCount) else {
      throw ConversionError("there is no object \(index)", offset: offset)
    }
    return Int(index)
  }

  private func object(at start: Int) throws(ConversionError) -> Object {
    let low = Int(bytes[start] & 0x0f)
    switch bytes[start] >> 4 {
    case 0x0 where low == 8 || low == 9:
      return Object(kind: .bool, start: start, content: start + 1, end: start + 1, count: low - 8)
    case 0x0 where low == 0: throw ConversionError("a null can't be stored", offset: start)
    case 0x1 where low <= 4: return try sized(.integer, at: start, count: 1 << low)
    case 0x2 where low == 2 || low == 3: return try sized(.real, at: start, count: 1 << low)
    case 0x3 where low == 3: return try sized(.date, at: start, count: 8)
    case 0x4: return try counted(.data, at: start, unit: 1)
    case 0x5: return try counted(.asciiString, at: start, unit: 1)
    case 0x6: return try counted(.utf16String, at: start, unit: 2)
    case 0x8 where acceptsUIDs && low < 8: return try sized(.uid, at: start, count: low + 1)
    case 0x8:
      throw ConversionError("a UID can't be stored; is this a keyed archive?", offset: start)
    case 0xa: return try counted(.array, at: start, unit: referenceSize)
    case 0xb, 0xc: throw ConversionError("a set can't be stored", offset: start)
    case 0xd: return try counted(.dictionary, at: start, unit: 2 * referenceSize)
    default:
      let marker = String(bytes[start], radix: 16)
      throw ConversionError("the object type 0x\(marker) is unknown", offset: start)
    }
  }

  private func sized(_ kind: Kind, at start: Int, count: Int) throws(ConversionError) -> Object {
    guard count <= table - (start + 1) else { throw Self.tooLong(start) }
    return Object(
      kind: kind, start: start, content: start + 1, end: start + 1 + count, count: count)
  }

  private func counted(_ kind: Kind, at start: Int, unit: Int) throws(ConversionError) -> Object {
    var content = start + 1
    var count = UInt64(bytes[start] & 0x0f)
    if count == 0x0f {
      guard content < table else { throw Self.tooLong(start) }
      let marker = bytes[content]
      guard marker & 0xfc == 0x10 else {
        throw ConversionError("the count isn't an integer", offset: content)
      }
      let size = 1 << Int(marker & 0x03)
      content += 1
      guard size <= table - content else { throw Self.tooLong(start) }
      count = bytes.integer(at: content, size: size)
      content += size
    }
    guard count <= UInt64((table - content) / unit) else { throw Self.tooLong(start) }
    return Object(
      kind: kind, start: start, content: content, end: content + Int(count) * unit,
      count: Int(count))
  }

  private static func tooLong(_ start: Int) -> ConversionError {
    ConversionError("the object reaches beyond the last object's end", offset: start)
  }

  /// Throws unless the objects, in any order, fill their part of the file exactly.
  private func checkThatObjectsTouch() throws(ConversionError) {
    var end = Self.magic.count
    var isSorted = true
    for index in 0..<objectCount {
      let object = try object(index)
      isSorted = isSorted && object.start == end
      end = object.end
    }
    if isSorted && end == table { return }
    // No known program writes objects in another order, but another order is unambiguous, so it is
    // accepted.
    let objects = try (0..<objectCount)
      .map { (index) throws(ConversionError) in try object(index) }
      .sorted { $0.start < $1.start }
    end = Self.magic.count
    for object in objects {
      guard object.start >= end else {
        throw ConversionError("two objects overlap", offset: object.start)
      }
      guard object.start == end else {
        throw ConversionError("there are bytes that belong to no object", offset: end)
      }
      end = object.end
    }
    guard end == table else {
      throw ConversionError("there are bytes that belong to no object", offset: end)
    }
  }
}

extension BinaryPropertyListLayout {
  /// Returns a string of UTF-16 code units with paired surrogates.
  func utf16String(_ object: Object) throws(ConversionError) -> String {
    let units = stride(from: object.content, to: object.end, by: 2).map {
      UInt16(truncatingIfNeeded: bytes.integer(at: $0, size: 2))
    }
    if let string = String(validating: units, as: UTF16.self) { return string }
    func isLead(_ index: Int) -> Bool {
      units.indices.contains(index) && UTF16.isLeadSurrogate(units[index])
    }
    func isTrail(_ index: Int) -> Bool {
      units.indices.contains(index) && UTF16.isTrailSurrogate(units[index])
    }
    let unpaired = units.indices.first { index in
      isLead(index) && !isTrail(index + 1) || isTrail(index) && !isLead(index - 1)
    }
    throw ConversionError(
      "a surrogate in a string has no partner", offset: object.content + 2 * (unpaired ?? 0))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the unsigned integer of at most 8 bytes at an offset, which must be within bounds.
  func integer(at offset: Int, size: Int) -> UInt64 {
    switch size {
    case 1: UInt64(self[offset])
    case 2: UInt64(loadUnaligned(fromByteOffset: offset, as: UInt16.self).bigEndian)
    case 8: loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
    default: self[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
