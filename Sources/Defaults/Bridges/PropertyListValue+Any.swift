import Foundation

extension Defaults.PropertyListValue {
  /// Creates the property list of a value whose type is known only at run time.
  ///
  /// ```swift
  /// let entries: [String: Any] = ["volume": 7, "since": Date(), "home": URL(filePath: "/")]
  /// try suite.set(Defaults.PropertyListValue(converting: entries), forKey: "entries")
  /// ```
  ///
  /// Accepts the types that `UserDefaults` accepts: numbers, `NSNumber`, text, `Data`, `Date`,
  /// `URL`, and arrays and dictionaries of them. Also accepts values of all other
  /// ``Defaults/Serializable`` types, as their bridges store them. Numbers are converted exactly,
  /// and an `NSNumber` of a `Bool` is a bool.
  ///
  /// - Throws: A ``Defaults/ConversionError`` with the path of the part that has no property list
  ///   form, such as nil, or a number with more than 64 bits.
  public init(converting value: Any) throws(Defaults.ConversionError) {
    self = try Self.converted(value)
  }

  private static func converted(_ value: Any) throws(ConversionError) -> Self {
    if let optional = value as? any AnyOptional {
      guard let content = optional.content else { throw .init("nil can't be stored") }
      return try converted(content)
    }
    // The type is compared, because a cast alone converts numbers into each other and into bools.
    let type = type(of: value)
    if type == Bool.self, let bool = value as? Bool { return .bool(bool) }
    if let integer = value as? any BinaryInteger, type is any BinaryInteger.Type {
      guard let value = Self(exactly: integer) else {
        throw .init("\(integer) has more than 64 bits")
      }
      return value
    }
    if let number = value as? any BinaryFloatingPoint, type is any BinaryFloatingPoint.Type {
      return .real(try exactDouble(number))
    }
    switch value {
    case let value as any Defaults.Serializable: return try Self(encoding: value)
    case let number as NSNumber: return try converted(number)
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let url as URL: return try Self(encoding: url)  // an NSURL
    case let elements as [Any]:
      return .array(
        try elements.enumerated().map { index, element throws(ConversionError) in
          try converted(element, at: "[\(index)]")
        })
    case let elements as [String: Any]:
      var values: [String: Self] = [:]
      for (name, element) in elements { values[name] = try converted(element, at: name) }
      return .dictionary(values)
    case is [AnyHashable: Any]: throw .init("a name in a dictionary isn't a string")
    default: throw .init("a \(type) can't be stored")
    }
  }

  private static func converted(_ part: Any, at place: String) throws(ConversionError) -> Self {
    try ConversionError.locating(place) { () throws(ConversionError) in try converted(part) }
  }

  private static func converted(_ number: NSNumber) throws(ConversionError) -> Self {
    // The type code of an `NSDecimalNumber` is always the code of a double.
    guard let decimal = number as? NSDecimalNumber else {
      return FoundationPropertyList.value(of: number)
    }
    let text = decimal.stringValue
    if let integer = Int64(text) { return .integer(integer) }
    if let integer = UInt64(text) { return .unsignedInteger(integer) }
    guard let double = Double(text), Decimal(string: "\(double)") == decimal.decimalValue else {
      throw .inexact(text, as: "Double")
    }
    return .real(double)
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
}
