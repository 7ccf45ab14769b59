import Foundation

// What the structure coders know of types, beyond that they are `Codable`. One look-up by type
// takes the place of an overload for each.

/// A type that is stored by its own bridge, whatever its `Codable` conformance does.
protocol StructureScalar: Defaults.Serializable {}

extension Bool: StructureScalar {}
extension Int: StructureScalar {}
extension Int8: StructureScalar {}
extension Int16: StructureScalar {}
extension Int32: StructureScalar {}
extension Int64: StructureScalar {}
extension Int128: StructureScalar {}
extension UInt: StructureScalar {}
extension UInt8: StructureScalar {}
extension UInt16: StructureScalar {}
extension UInt32: StructureScalar {}
extension UInt64: StructureScalar {}
extension UInt128: StructureScalar {}
extension Double: StructureScalar {}
extension Float: StructureScalar {}
extension Decimal: StructureScalar {}
extension String: StructureScalar {}
extension Date: StructureScalar {}
extension Data: StructureScalar {}
extension URL: StructureScalar {}

extension StructureScalar {
  var structure: Defaults.PropertyListValue {
    get throws(Defaults.ConversionError) { try Self.bridge.encode(self) }
  }

  static func value(
    of stored: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Self {
    try bridge.decode(stored)
  }
}

/// An optional, whose nil isn't left to its own `Codable` conformance: there is no null to store.
protocol StructureOptional {
  /// The value as an array of at most one element.
  func encodeElement(by encoder: Defaults.StructureEncoder) throws
  /// The value itself; false if there is none.
  func encodeField(by encoder: Defaults.StructureEncoder) throws -> Bool
  static func decodeElement(by decoder: Defaults.StructureDecoder) throws -> Self
  static func decodeField(by decoder: Defaults.StructureDecoder?) throws -> Self
}

extension Optional: StructureOptional where Wrapped: Codable {
  func encodeElement(by encoder: Defaults.StructureEncoder) throws {
    var container = encoder.unkeyedContainer()
    if let self { try container.encode(self) }
  }

  func encodeField(by encoder: Defaults.StructureEncoder) throws -> Bool {
    guard let self else { return false }
    try encoder.write(self)
    return true
  }

  static func decodeElement(by decoder: Defaults.StructureDecoder) throws -> Self {
    var container = try decoder.unkeyedContainer()
    guard let count = container.count, count <= 1 else {
      throw decoder.mismatch(Self.self, "an optional has one element at most")
    }
    return count == 0 ? .none : .some(try container.decode(Wrapped.self))
  }

  static func decodeField(by decoder: Defaults.StructureDecoder?) throws -> Self {
    guard let decoder else { return .none }
    return .some(try decoder.read(Wrapped.self))
  }
}

/// A collection whose order means nothing, and differs from process to process.
protocol StructureUnordered {
  /// How many elements of the stored array belong together: 2 for the keys and values of a
  /// dictionary that isn't stored as one.
  static var stride: Int { get }
  /// Whether what stands beside a name is an element, not a field.
  static var hasNamedElements: Bool { get }
  var count: Int { get }
}

extension Set: StructureUnordered {
  static var stride: Int { 1 }
  static var hasNamedElements: Bool { false }
}

extension Dictionary: StructureUnordered {
  static var stride: Int { 2 }
  static var hasNamedElements: Bool { true }
}

/// The key of an element, or of a superclass's fields.
struct StructureKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  static let parent = Self(stringValue: "super")

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
