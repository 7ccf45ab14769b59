import Foundation

// What the structure coders know of types, beyond that they are `Codable`. One look-up by type
// takes the place of an overload for each.

/// A type that is stored by its own bridge, whatever its `Codable` conformance does.
protocol StructureScalar: Defaults.Serializable, Codable {}

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
