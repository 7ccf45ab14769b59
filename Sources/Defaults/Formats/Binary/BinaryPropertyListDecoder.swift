import Foundation

/// Reads the binary property list format strictly, and directly to ``PropertyListValue``.
///
/// It throws if a value would be lost or guessed; no input makes it trap. Each object is decoded
/// once and shared by all references to it, so time and memory are proportional to the file. Shared
/// references may add at most `allowance` values, or 256 bytes of text or data for each, because a
/// small file could otherwise stand for a huge tree.
package struct BinaryPropertyListDecoder {
  /// The number of values that a file may have beyond its number of bytes.
  static let allowance = 1 << 20
  /// The cost of a value in the budget; text and data also cost their bytes, divided by `discount`.
  private static let valueCost = 64
  /// CoreFoundation may store equal texts once, so the allowance must suffice for all the text of
  /// the largest suite. In UTF-16, it may have twice the size that counts for the suite's limit.
  private static let discount = 2 * Defaults.SizeLimit.suite / (valueCost * allowance)
  /// The root is a level above its entries, which may have `maximumDepth` levels.
  private static let maximumHeight = PropertyListValue.maximumDepth + 1
  private static let inProgress = UInt16.max

  private let layout: BinaryPropertyListLayout
  private var values: [PropertyListValue]
  /// The number of levels of each object; 0 before it is decoded, `inProgress` meanwhile.
  private var heights: [UInt16]
  /// The cost of each object in the budget.
  private var costs: [Int]
  private var budget: Int

  /// Returns the entries of a file, whose root must be a dictionary.
  static func decode(_ data: Data) throws(ConversionError) -> [String: PropertyListValue] {
    guard case .dictionary(let entries) = try decodeValue(data) else {
      throw ConversionError("the root isn't a dictionary")
    }
    return entries
  }

  /// Returns the root. The UIDs of a keyed archive are `["CF$UID": integer]`, their form in XML.
  package static func decodeValue(
    _ data: Data, acceptsUIDs: Bool = false
  ) throws(ConversionError) -> PropertyListValue {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(ConversionError) in
        var decoder = Self(try BinaryPropertyListLayout(bytes, acceptsUIDs: acceptsUIDs))
        // Objects without references are no damage: `PropertyListSerialization` writes some.
        let root = decoder.layout.root
        return try decoder.value(root, decoder.layout.object(root), depth: 1)
      }
    }
    return try result.get()
  }

  private init(_ layout: BinaryPropertyListLayout) {
    self.layout = layout
    values = Array(repeating: .bool(false), count: layout.objectCount)
    heights = Array(repeating: 0, count: layout.objectCount)
    costs = Array(repeating: 0, count: layout.objectCount)
    budget = Self.valueCost * (layout.bytes.count + Self.allowance)
  }

  private mutating func value(
    _ index: Int, _ object: BinaryPropertyListLayout.Object, depth: Int
  ) throws(ConversionError) -> PropertyListValue {
    let height = heights[index]
    guard height != Self.inProgress else {
      throw ConversionError("the object contains itself", offset: object.start)
    }
    // An object that isn't decoded yet counts as one level here; its content is checked later.
    guard depth + max(Int(height), 1) - 1 <= Self.maximumHeight else {
      throw .tooDeep(at: object.start)
    }
    if height > 0 {
      try spend(costs[index], at: object)
      return values[index]
    }
    let before = budget
    try spend(Self.valueCost, at: object)
    if object.kind == .data || object.kind.isString {
      try spend((object.end - object.content) / Self.discount, at: object)
    }
    heights[index] = Self.inProgress
    var levels: UInt16 = 0
    let value: PropertyListValue
    switch object.kind {
    case .bool: value = .bool(object.count == 1)
    case .integer: value = try layout.integerValue(object)
    case .real: value = .real(layout.real(object))
    case .date: value = .date(Date(timeIntervalSinceReferenceDate: layout.real(object)))
    case .uid: value = try layout.uid(object)
    case .data: value = .data(layout.data(object))
    case .asciiString: value = .string(try layout.asciiString(object))
    case .utf16String: value = .string(try layout.utf16String(object))
    case .array: value = .array(try elements(object, depth: depth + 1, &levels))
    case .dictionary: value = .dictionary(try entries(object, depth: depth + 1, &levels))
    }
    values[index] = value
    heights[index] = levels + 1
    costs[index] = before - budget
    return value
  }

  private mutating func spend(
    _ cost: Int, at object: BinaryPropertyListLayout.Object
  ) throws(ConversionError) {
    guard cost <= budget else {
      throw ConversionError(
        "shared objects make the value too large for its file", offset: object.start)
    }
    budget -= cost
  }

  private mutating func elements(
    _ object: BinaryPropertyListLayout.Object, depth: Int, _ height: inout UInt16
  ) throws(ConversionError) -> [PropertyListValue] {
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(object.count)
    for position in stride(from: object.content, to: object.end, by: layout.referenceSize) {
      elements.append(try element(at: position, depth: depth, &height))
    }
    return elements
  }

  private mutating func entries(
    _ object: BinaryPropertyListLayout.Object, depth: Int, _ height: inout UInt16
  ) throws(ConversionError) -> [String: PropertyListValue] {
    // Different keys are different objects, so there can't be more entries than objects.
    var entries = [String: PropertyListValue](
      minimumCapacity: min(object.count, layout.objectCount))
    let keys = object.count * layout.referenceSize
    for position in stride(
      from: object.content, to: object.content + keys, by: layout.referenceSize)
    {
      let key = try key(at: position, depth: depth)
      let value = try element(at: position + keys, depth: depth, &height)
      try entries.add(value, for: key, at: position)
    }
    return entries
  }

  /// Returns the value at a reference, and raises `height` to its height.
  private mutating func element(
    at position: Int, depth: Int, _ height: inout UInt16
  ) throws(ConversionError) -> PropertyListValue {
    let index = try layout.reference(at: position)
    let value = try value(index, layout.object(index), depth: depth)
    height = max(height, heights[index])
    return value
  }

  private mutating func key(at position: Int, depth: Int) throws(ConversionError) -> String {
    let index = try layout.reference(at: position)
    let object = try layout.object(index)
    guard object.kind.isString, case .string(let key) = try value(index, object, depth: depth)
    else { throw ConversionError("a key isn't a string", offset: object.start) }
    return key
  }
}

// MARK: - Scalars

extension BinaryPropertyListLayout {
  /// Returns an integer: up to 4 bytes are unsigned, 8 are signed, 16 hold a number above
  /// `Int64.max`.
  func integerValue(_ object: Object) throws(ConversionError) -> PropertyListValue {
    guard object.count == 16 else {
      return .integer(Int64(bitPattern: bytes.integer(at: object.content, size: object.count)))
    }
    let high = bytes.integer(at: object.content, size: 8)
    let low = bytes.integer(at: object.content + 8, size: 8)
    if high == 0, low > Int64.max { return .unsignedInteger(low) }
    let signed = Int64(bitPattern: low)
    guard high == (signed < 0 ? .max : 0) else {
      throw ConversionError("the integer has more than 64 bits", offset: object.start)
    }
    return .integer(signed)
  }

  /// Returns the content as a floating-point number of 4 or 8 bytes.
  func real(_ object: Object) -> Double {
    let bits = bytes.integer(at: object.content, size: object.count)
    return object.count == 8
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  /// Returns a UID in the form that keyed archives have in XML.
  func uid(_ object: Object) throws(ConversionError) -> PropertyListValue {
    let number = bytes.integer(at: object.content, size: object.count)
    guard let signed = Int64(exactly: number) else {
      throw ConversionError("the UID has more than 63 bits", offset: object.start)
    }
    return .dictionary(["CF$UID": .integer(signed)])
  }

  func data(_ object: Object) -> Data {
    Data(UnsafeRawBufferPointer(rebasing: bytes[object.content..<object.end]))
  }

  /// Returns a string of 7-bit characters.
  func asciiString(_ object: Object) throws(ConversionError) -> String {
    var position = object.content
    while position + 8 <= object.end {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      position += 8
    }
    while position < object.end {
      guard bytes[position] < 0x80 else {
        throw ConversionError("a byte of an ASCII string isn't ASCII", offset: position)
      }
      position += 1
    }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[object.content..<object.end]), as: UTF8.self)
  }
}
