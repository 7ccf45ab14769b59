import Foundation

/// JSON text as objects and arrays whose parts keep their bytes: data in the value represents a
/// string, number or word.
///
/// So a field can be added to an object without changing any other byte, such as the digits of a
/// number.
struct JSONStructure {
  let value: PropertyListValue

  var json: Data {
    var bytes: [UInt8] = []
    Self.write(value, to: &bytes)
    return Data(bytes)
  }

  private static func write(_ value: PropertyListValue, to bytes: inout [UInt8]) {
    switch value {
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .dictionary(let fields):
      bytes.append(UInt8(ascii: "{"))
      for (index, field) in fields.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        var writer = Defaults.JSONWriter(hasLines: false)
        writer.write(.string(field.key))
        bytes += writer.finish()
        bytes.append(UInt8(ascii: ":"))
        write(field.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .data(let content): bytes += content
    default: break  // No other value is created.
    }
  }
}

extension JSONStructure {
  /// Parses text that a JSON parser has accepted; nil if it isn't JSON in UTF-8.
  init?(_ json: Data) {
    var parser = Parser(bytes: Array(json))
    guard let value = parser.value(levels: Parser.maximumDepth), parser.isAtEnd else { return nil }
    self.init(value: value)
  }

  /// Finds the parts of text that is known to be JSON, with only the checks that this needs.
  private struct Parser {
    /// More than the 512 levels that Foundation reads.
    static let maximumDepth = 520

    let bytes: [UInt8]
    var position = 0

    /// Whether nothing but white space is left.
    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return position == bytes.count
      }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() { while let next, XMLScanner.isSpace(next) { position += 1 } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard next == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    mutating func value(levels: Int) -> PropertyListValue? {
      guard levels > 0 else { return nil }
      if take("{") { return object(levels: levels - 1) }
      if take("[") { return array(levels: levels - 1) }
      return scalar().map { .data(Data($0)) }
    }

    private mutating func object(levels: Int) -> PropertyListValue? {
      var fields: [String: PropertyListValue] = [:]
      if take("}") { return .dictionary(fields) }
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\""), let name = scalar().flatMap({ Self.string($0) }),
          take(":"), let value = value(levels: levels)
        else { return nil }
        // Of two fields with one name, Foundation takes the first.
        if fields[name] == nil { fields[name] = value }
      } while take(",")
      return take("}") ? .dictionary(fields) : nil
    }

    private mutating func array(levels: Int) -> PropertyListValue? {
      var elements: [PropertyListValue] = []
      if take("]") { return .array(elements) }
      repeat {
        guard let element = value(levels: levels) else { return nil }
        elements.append(element)
      } while take(",")
      return take("]") ? .array(elements) : nil
    }

    /// The bytes of a string, number or word.
    private mutating func scalar() -> ArraySlice<UInt8>? {
      let start = position
      if next == UInt8(ascii: "\"") {
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
          position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < bytes.count else { return nil }
        position += 1
      } else {
        while let byte = next, !XMLScanner.isSpace(byte), !Self.ends.contains(byte) {
          position += 1
        }
      }
      return position > start ? bytes[start..<position] : nil
    }

    private static let ends = Array(",:[]{}\"".utf8)

    private static func string(_ literal: ArraySlice<UInt8>) -> String? {
      guard literal.contains(UInt8(ascii: "\\")) else {
        return String(validating: literal.dropFirst().dropLast(), as: UTF8.self)
      }
      return try? JSONDecoder().decode(String.self, from: Data(literal))
    }
  }
}
