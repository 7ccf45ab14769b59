import Foundation

/// The only place where values are objects of Foundation, and so the only place with `Any`.
package enum FoundationPropertyList {
  /// Returns the value of an object of Foundation, or of the corresponding Swift type.
  ///
  /// The type itself is compared, because `as?` converts numbers into each other and into bools.
  /// User defaults hold Swift's numbers, inside collections wrapped in optionals.
  ///
  /// - Parameter convert: Called with each part except for Swift's bools and numbers; returns nil
  ///   to convert the part as usual.
  /// - Throws: An error with the path of the part that has no value.
  static func value(
    of object: Any,
    converting convert: (Any) throws(ConversionError) -> PropertyListValue? = {
      _ throws(ConversionError) in nil
    }
  ) throws(ConversionError) -> PropertyListValue {
    if let optional = object as? any AnyOptional {
      guard let content = optional.content else { throw ConversionError("nil can't be stored") }
      return try value(of: content, converting: convert)
    }
    let type = type(of: object)
    if type == Bool.self, let bool = object as? Bool { return .bool(bool) }
    if type is any BinaryInteger.Type, let integer = object as? any BinaryInteger {
      guard let value = PropertyListValue(exactly: integer) else {
        throw ConversionError("\(integer) has more than 64 bits")
      }
      return value
    }
    if type is any BinaryFloatingPoint.Type, let number = object as? any BinaryFloatingPoint {
      return .real(try exactDouble(number))
    }
    if let value = try convert(object) { return value }
    switch object {
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let number as NSNumber: return value(of: number)
    case let elements as [Any]:
      return .array(
        try elements.enumerated().map { index, element throws(ConversionError) in
          try ConversionError.locating("[\(index)]") { () throws(ConversionError) in
            try value(of: element, converting: convert)
          }
        })
    case let entries as [String: Any]:
      var values: [String: PropertyListValue] = [:]
      for (key, element) in entries {
        values[key] = try ConversionError.locating(key) { () throws(ConversionError) in
          try value(of: element, converting: convert)
        }
      }
      return .dictionary(values)
    case is [AnyHashable: Any]:
      throw ConversionError("a key isn't a string")
    default:
      throw ConversionError("a \(type) can't be stored")
    }
  }

  private static func exactDouble<Number: BinaryFloatingPoint>(
    _ number: Number
  ) throws(ConversionError) -> Double {
    let double = Double(number)
    guard number.isNaN || Number(double) == number else {
      throw .inexact("\(number)", as: "Double")
    }
    return double
  }

  private static func value(of number: NSNumber) -> PropertyListValue {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c") where isBool(number), UInt8(ascii: "B"): .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
    default:
      number.objCType.pointee == CChar(UInt8(ascii: "Q")) && number.uint64Value > Int64.max
        ? .unsignedInteger(number.uint64Value) : .integer(number.int64Value)
    }
  }

  /// Distinguishes a bool from an 8-bit integer, which has the same type code.
  private static func isBool(_ number: NSNumber) -> Bool {
    #if canImport(Darwin)
      CFGetTypeID(number) == CFBooleanGetTypeID()
    #else
      // Foundation doesn't distinguish the bools from the 8-bit integers 0 and 1.
      (0...1).contains(number.int64Value)
    #endif
  }

  package static func object(of value: PropertyListValue) -> Any {
    switch value {
    case .bool(let value): value
    case .integer(let value): value
    case .unsignedInteger(let value): value
    case .real(let value): value
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .array(let value): value.map(object(of:))
    case .dictionary(let value): value.mapValues(object(of:))
    }
  }

  /// Returns the object that `UserDefaults` would return for a value: `as?` converts it to each
  /// corresponding Swift type, and a number to each type that holds it.
  static func castable(_ value: PropertyListValue) -> Any {
    switch value {
    case .integer(let value): NSNumber(value: value)
    case .unsignedInteger(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .array(let value): value.map(castable)
    case .dictionary(let value): value.mapValues(castable)
    case .bool, .string, .date, .data: object(of: value)
    }
  }
}
