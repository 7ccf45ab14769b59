import Foundation

// The facts about types that the structure coders need, in addition to `Codable`. One look-up by
// type replaces an overload for each type.

extension Bool: StructureScalar {}
extension Int128: StructureScalar {}
extension UInt128: StructureScalar {}
extension Double: StructureScalar {}
extension Float: StructureScalar {}
extension Decimal: StructureScalar {}
extension String: StructureScalar {}
extension Date: StructureScalar {}
extension Data: StructureScalar {}
extension URL: StructureScalar {}

/// A collection whose order has no meaning and differs between processes.
protocol StructureUnordered {
  /// Whether a value under a name is an element, not a field, and two elements of an array belong
  /// together: a key and its value.
  static var isDictionary: Bool { get }
  var count: Int { get }
}

extension Set: StructureUnordered { static var isDictionary: Bool { false } }
extension Dictionary: StructureUnordered { static var isDictionary: Bool { true } }

/// The key of an element, or of a superclass's fields.
struct StructureKey: CodingKey {
  let stringValue: String
  var intValue: Int?

  static let parent = Self(stringValue: "super")

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
