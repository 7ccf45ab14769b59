import Foundation

extension Defaults.PropertyListFormat {
  /// Throws `unrepresentable` if a file of this format can't hold the entry exactly.
  func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    do throws(Defaults.ConversionError) {
      try validate(name: name)
      try validate(value)
    } catch {
      throw Defaults.SuiteError(
        .unrepresentable, "The entry can't be stored: \(error)", key: name, underlying: error)
    }
  }

  /// Throws if a file of this format can't hold the value exactly, or the value is too deep.
  ///
  /// Costs one visit per value, and for XML one look at each character.
  func validate(_ value: Defaults.PropertyListValue) throws(Defaults.ConversionError) {
    guard !value.isDeeper(than: Defaults.PropertyListValue.maximumDepth) else {
      throw Defaults.ConversionError(
        "it has more than \(Defaults.PropertyListValue.maximumDepth) levels")
    }
    try validateContent(of: value)
  }

  /// Throws if a file of this format can't have an entry of this name.
  func validate(name: String) throws(Defaults.ConversionError) {
    if self == .xml { try Self.validateText(name, "the key") }
  }

  /// Throws for the one dictionary that `PropertyListSerialization` reads as a private class.
  static func validateKeys(
    of dictionary: [String: Defaults.PropertyListValue]
  ) throws(Defaults.ConversionError) {
    guard dictionary.count == 1 else { return }
    switch dictionary["CF$UID"] {
    case .integer, .unsignedInteger, .real:
      throw Defaults.ConversionError(
        "XML can't hold a dictionary whose only key is CF$UID; rename it, or use format: .binary")
    default:
      return
    }
  }

  private func validateContent(
    of value: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) {
    switch value {
    case .bool, .integer, .unsignedInteger, .data: break
    case .real(let number): try validateReal(number)
    case .date(let date): if self == .xml { try Self.validateDate(date) }
    case .string(let text): if self == .xml { try Self.validateText(text, "the string") }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        do throws(Defaults.ConversionError) {
          try validateContent(of: element)
        } catch {
          throw error.at("[\(index)]")
        }
      }
    case .dictionary(let entries):
      if self == .xml { try Self.validateKeys(of: entries) }
      for (key, element) in entries {
        do throws(Defaults.ConversionError) {
          try validate(name: key)
          try validateContent(of: element)
        } catch {
          throw error.at(key)
        }
      }
    }
  }

  private func validateReal(_ number: Double) throws(Defaults.ConversionError) {
    if number.isNaN, number.bitPattern != Double.nan.bitPattern {
      // PropertyListSerialization writes every NaN as this one.
      throw Defaults.ConversionError(
        "a NaN with a sign or payload can't be kept; use Double.nan itself")
    }
    if self == .xml, number == 0, number.sign == .minus {
      throw Defaults.ConversionError("XML loses the sign of -0.0; use 0.0, or format: .binary")
    }
  }

  private static func validateDate(_ date: Date) throws(Defaults.ConversionError) {
    let seconds = date.timeIntervalSinceReferenceDate
    // From 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z: the years that have four digits. Year 0
    // matters, for Date.distantPast lies in it.
    guard -63_145_526_400...252_423_993_599 ~= seconds else {
      throw Defaults.ConversionError(
        "XML holds dates of the years 0 to 9999 only; use format: .binary")
    }
    guard seconds == seconds.rounded(), seconds != 0 || seconds.sign == .plus else {
      throw Defaults.ConversionError(
        "XML holds whole seconds only; round the date to whole seconds, or use format: .binary")
    }
  }

  private static func validateText(
    _ text: String, _ what: String
  ) throws(Defaults.ConversionError) {
    let damaged = text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x09, 0x0a: false
      // XML has no other control characters, and its readers turn CR and CR LF into LF.
      case ..<0x20, 0xfffe, 0xffff: true
      default: false
      }
    }
    // PropertyListSerialization takes it for a byte order mark.
    let mark: Unicode.Scalar? = text.unicodeScalars.first == "\u{feff}" ? "\u{feff}" : nil
    guard let scalar = damaged ?? mark else { return }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    throw Defaults.ConversionError(
      "XML can't hold the character U+\(code) of \(what); remove it, or use format: .binary")
  }
}
