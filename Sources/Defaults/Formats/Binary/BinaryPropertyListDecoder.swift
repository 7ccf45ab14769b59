import Foundation

extension Defaults {
  /// Reads the binary property list format, strictly, straight into ``PropertyListValue``.
  ///
  /// It opens what `PropertyListSerialization` and Python's `plistlib` write, and throws for
  /// anything in which a value would be lost or guessed: an object that isn't a property list's, a
  /// cycle, a duplicate key, bytes that belong to no object. No input makes it trap.
  ///
  /// Each object is decoded once and shared by all references to it, so time and memory are
  /// proportional to the file. Sharing could still make a small file a huge tree for whoever walks
  /// it: beyond its own size, a file may add `allowance` values (or 64 bytes of text or data for
  /// each) by sharing.
  struct BinaryPropertyListDecoder {
    /// How many values more than it has bytes a file may stand for.
    static let allowance = 1 << 20
    /// What a value costs in the budget; text and data cost their bytes on top.
    private static let valueCost = 64
    /// The entries of the root may have `maximumDepth` levels.
    private static let maximumHeight = PropertyListValue.maximumDepth + 1
    private static let inProgress = UInt16.max

    private let layout: BinaryPropertyListLayout
    /// Strings, data and collections by index, once they are decoded; the others are cheap to redo.
    private var values: [PropertyListValue?]
    /// How many levels each object has; 0 before it is decoded.
    private var heights: [UInt16]
    /// What each object spends of the budget.
    private var costs: [Int]
    private var budget: Int

    /// The entries of a file, whose root must be a dictionary.
    static func decode(_ data: Data) throws(PropertyListError) -> [String: PropertyListValue] {
      guard case .dictionary(let entries) = try decodeValue(data) else {
        throw PropertyListError("its root isn't a dictionary")
      }
      return entries
    }

    /// The root of a file, whatever it is.
    static func decodeValue(_ data: Data) throws(PropertyListError) -> PropertyListValue {
      try decode(data, acceptsUIDs: false)
    }

    /// The root of a keyed archive: its UIDs come as `["CF$UID": integer]`, their form in XML.
    static func decodeArchive(_ data: Data) throws(PropertyListError) -> PropertyListValue {
      try decode(data, acceptsUIDs: true)
    }

    private static func decode(
      _ data: Data, acceptsUIDs: Bool
    ) throws(PropertyListError) -> PropertyListValue {
      let result = data.withUnsafeBytes { bytes in
        Result { () throws(PropertyListError) in
          var decoder = Self(try BinaryPropertyListLayout(bytes, acceptsUIDs: acceptsUIDs))
          // Objects that nothing refers to are no damage: PropertyListSerialization writes some.
          return try decoder.value(decoder.layout.root, depth: 1)
        }
      }
      return try result.get()
    }

    private init(_ layout: BinaryPropertyListLayout) {
      self.layout = layout
      values = Array(repeating: nil, count: layout.objectCount)
      heights = Array(repeating: 0, count: layout.objectCount)
      costs = Array(repeating: 0, count: layout.objectCount)
      budget = Self.valueCost * (layout.bytes.count + Self.allowance)
    }

    private mutating func value(
      _ index: Int, depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
      try value(index, layout.object(index), depth: depth)
    }

    private mutating func value(
      _ index: Int, _ object: BinaryPropertyListLayout.Object, depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
      guard heights[index] != Self.inProgress else {
        throw PropertyListError("the object contains itself", offset: object.start)
      }
      // For an object that isn't decoded yet this counts too little, and its content is checked.
      guard depth + max(Int(heights[index]), 1) - 1 <= Self.maximumHeight else {
        throw PropertyListError(
          "the value has more than \(PropertyListValue.maximumDepth) levels", offset: object.start)
      }
      if heights[index] > 0 {
        try spend(costs[index], at: object)
        if let known = values[index] { return known }
        return try scalar(object)
      }
      try spend(Self.valueCost, at: object)
      switch object.kind {
      case .array:
        return try collection(index, object, depth, Self.elements)
      case .dictionary:
        return try collection(index, object, depth, Self.entries)
      case .data, .asciiString, .utf16String:
        try spend(object.end - object.content, at: object)
        heights[index] = 1
        costs[index] = Self.valueCost + object.end - object.content
        let value = try scalar(object)
        values[index] = value
        return value
      case .bool, .integer, .real, .date, .uid:
        heights[index] = 1
        costs[index] = Self.valueCost
        return try scalar(object)
      }
    }

    private mutating func spend(
      _ cost: Int, at object: BinaryPropertyListLayout.Object
    ) throws(PropertyListError) {
      guard cost <= budget else {
        throw PropertyListError(
          "shared objects make the value too large for its file", offset: object.start)
      }
      budget -= cost
    }

    /// The content of a collection, and its height.
    private typealias Content = (
      inout Self, BinaryPropertyListLayout.Object, Int
    ) throws(PropertyListError) -> (PropertyListValue, UInt16)

    private mutating func collection(
      _ index: Int, _ object: BinaryPropertyListLayout.Object, _ depth: Int, _ content: Content
    ) throws(PropertyListError) -> PropertyListValue {
      heights[index] = Self.inProgress
      let before = budget
      let (value, height) = try content(&self, object, depth + 1)
      heights[index] = height + 1
      costs[index] = Self.valueCost + before - budget
      values[index] = value
      return value
    }

    private static func elements(
      _ decoder: inout Self, _ object: BinaryPropertyListLayout.Object, _ depth: Int
    ) throws(PropertyListError) -> (PropertyListValue, UInt16) {
      var elements: [PropertyListValue] = []
      elements.reserveCapacity(object.count)
      var height: UInt16 = 0
      var position = object.content
      while position < object.end {
        let index = try decoder.layout.reference(at: position)
        elements.append(try decoder.value(index, depth: depth))
        height = max(height, decoder.heights[index])
        position += decoder.layout.referenceSize
      }
      return (.array(elements), height)
    }

    private static func entries(
      _ decoder: inout Self, _ object: BinaryPropertyListLayout.Object, _ depth: Int
    ) throws(PropertyListError) -> (PropertyListValue, UInt16) {
      // Keys that differ are different objects, so a count above theirs is a lie.
      var entries = [String: PropertyListValue](
        minimumCapacity: min(object.count, decoder.layout.objectCount))
      var height: UInt16 = 0
      var position = object.content
      let values = object.count * decoder.layout.referenceSize
      while position < object.content + values {
        let key = try decoder.key(at: position, depth: depth)
        let index = try decoder.layout.reference(at: position + values)
        let value = try decoder.value(index, depth: depth)
        try entries.add(value, for: key, at: position)
        height = max(height, decoder.heights[index])
        position += decoder.layout.referenceSize
      }
      return (.dictionary(entries), height)
    }

    private mutating func key(at position: Int, depth: Int) throws(PropertyListError) -> String {
      let index = try layout.reference(at: position)
      let object = try layout.object(index)
      guard object.kind == .asciiString || object.kind == .utf16String,
        case .string(let key) = try value(index, object, depth: depth)
      else { throw PropertyListError("a key isn't a string", offset: object.start) }
      return key
    }

    /// The value of an object that isn't a collection.
    private func scalar(
      _ object: BinaryPropertyListLayout.Object
    ) throws(PropertyListError) -> PropertyListValue {
      switch object.kind {
      case .bool: .bool(object.count == 1)
      case .integer: try layout.integerValue(object)
      case .real: .real(layout.real(object))
      case .date: .date(Date(timeIntervalSinceReferenceDate: layout.real(object)))
      case .data: .data(layout.data(object))
      case .asciiString: .string(try layout.asciiString(object))
      case .utf16String: .string(try layout.utf16String(object))
      case .uid: try layout.uid(object)
      case .array, .dictionary: throw PropertyListError("it is a collection", offset: object.start)
      }
    }
  }
}
