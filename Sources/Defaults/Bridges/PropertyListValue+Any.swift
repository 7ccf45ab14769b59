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
    self = try FoundationPropertyList.value(of: value) { part throws(ConversionError) in
      switch part {
      case let value as any Defaults.Serializable: try Self(encoding: value)
      case let number as NSDecimalNumber: try Self.exact(number)
      case let url as URL: try Self(encoding: url)  // an NSURL
      default: nil
      }
    }
  }

  private static func exact(_ number: NSDecimalNumber) throws(ConversionError) -> Self {
    let text = number.stringValue
    if let integer = Int64(text) { return .integer(integer) }
    if let integer = UInt64(text) { return .unsignedInteger(integer) }
    guard let double = Double(text), Decimal(string: "\(double)") == number.decimalValue else {
      throw .inexact(text, as: "Double")
    }
    return .real(double)
  }
}
