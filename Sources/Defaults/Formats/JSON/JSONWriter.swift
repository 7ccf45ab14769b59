import Foundation

extension Defaults {
  /// Writes values in the convention of ``JSONFormat``.
  package struct JSONWriter {
    /// Whether each element has a line of its own.
    private let hasLines: Bool
    /// Whether names are names of entries, which are escaped.
    private let isOfEntries: Bool
    /// Whether data contains the text to write, as `JSONReader` returns it.
    private let keepsText: Bool
    private var bytes: [UInt8] = []
    private var level = 0

    package init(hasLines: Bool, isOfEntries: Bool = true, keepingText keepsText: Bool = false) {
      self.hasLines = hasLines
      self.isOfEntries = isOfEntries
      self.keepsText = keepsText
    }

    /// Returns the text, which ends with a line break if it has lines.
    package consuming func finish() -> [UInt8] {
      if hasLines { bytes.append(UInt8(ascii: "\n")) }
      return bytes
    }

    package mutating func write(_ entries: [String: PropertyListValue]) {
      write(entries.sortedByName.map { (isOfEntries ? JSONTag.escape($0.key) : $0.key, $0.value) })
    }

    /// Writes the entries of a file, after the reference to its JSON Schema if it has one.
    mutating func writeFile(_ entries: [String: PropertyListValue]) {
      guard case .string(let schema)? = entries[schemaName] else { return write(entries) }
      var members = [(name: JSONTag.schema, value: PropertyListValue.string(schema))]
      for (name, value) in entries.sortedByName where name != schemaName {
        members.append((JSONTag.escape(name), value))
      }
      write(members)
    }

    private mutating func write(_ members: [(name: String, value: PropertyListValue)]) {
      write(members, between: "{", "}") { writer, member in
        writer.write(member.name)
        writer.append(writer.hasLines ? ": " : ":")
        writer.write(member.value)
      }
    }

    package mutating func write(_ value: PropertyListValue) {
      switch value {
      case .bool(let bool): append(bool ? "true" : "false")
      case .string(let text): write(text)
      case .array(let elements): write(elements, between: "[", "]") { $0.write($1) }
      case .dictionary(let entries): write(entries)
      case .integer(let number) where JSONTag.safeIntegers.contains(number): append("\(number)")
      case .real(let number) where number.isFinite: append("\(number)")
      case .integer(let number): write(.integer, "\(number)")
      case .unsignedInteger(let number): write(.integer, "\(number)")
      case .real(let number): write(.real, ExactText.text(of: number))
      case .date(let date): write(.date, ExactText.text(of: date))
      case .data(let text) where keepsText: bytes.append(contentsOf: text)
      case .data(let data): write(.data, data.base64EncodedString())
      }
    }

    private mutating func write(_ tag: JSONTag, _ text: String) {
      append("{")
      write(tag.rawValue)
      append(hasLines ? ": " : ":")
      write(text)
      append("}")
    }

    private mutating func write<Element>(
      _ elements: [Element], between start: StaticString, _ end: StaticString,
      _ body: (inout Self, Element) -> Void
    ) {
      append(start)
      level += 1
      for (index, element) in elements.enumerated() {
        if index > 0 { append(",") }
        breakLine()
        body(&self, element)
      }
      level -= 1
      if !elements.isEmpty { breakLine() }
      append(end)
    }

    private mutating func breakLine() {
      guard hasLines else { return }
      bytes.append(UInt8(ascii: "\n"))
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    private mutating func write(_ text: String) {
      append("\"")
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\t"): append("\\t")
        case UInt8(ascii: "\r"): append("\\r")
        case ..<0x20, 0x7f:
          append(byte < 0x10 ? "\\u000" : "\\u00")
          append(String(byte, radix: 16))
        default: bytes.append(byte)
        }
      }
      append("\"")
    }

    private mutating func append(_ text: StaticString) {
      text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
  }

  /// The only name in an object that represents a value which JSON can't hold; its content is a
  /// string.
  package enum JSONTag: String {
    case integer = "$integer"
    case real = "$real"
    case date = "$date"
    case data = "$data"

    /// The name under which a file refers to its JSON Schema; valid only at the top of a file.
    static let schema = "$schema"

    /// The integers that a double holds and to which no other integer is rounded. Every JSON reader
    /// preserves them, even if all its numbers are doubles.
    package static let safeIntegers: ClosedRange<Int64> = -0x1f_ffff_ffff_ffff...0x1f_ffff_ffff_ffff

    /// Returns the written form of a name, which is no tag.
    package static func escape(_ name: String) -> String { isMarked(name) ? "$" + name : name }

    /// Returns the name of a written form; nil if the form is a tag, or looks like a tag.
    static func unescape(_ written: String) -> String? {
      guard isMarked(written) else { return written }
      let name = String(Substring(written.utf8.dropFirst()))
      return isMarked(name) ? name : nil
    }

    /// By bytes, because "$" with a combining mark is another character.
    private static func isMarked(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "$") }

    func value(of text: String, at offset: Int) throws(ConversionError) -> PropertyListValue {
      let value: PropertyListValue? =
        switch self {
        case .integer: Self.integer(text)
        case .real: ExactText.real(text).map(PropertyListValue.real)
        case .date: ExactText.date(text).map(PropertyListValue.date)
        case .data: Data(base64Encoded: text).map(PropertyListValue.data)
        }
      guard let value else {
        // The text isn't quoted, because it may be a secret.
        throw ConversionError("the \(rawValue.dropFirst()) can't be read", offset: offset)
      }
      return value
    }

    /// Parses a decimal integer of 64 bits with an optional sign.
    package static func integer(_ text: String) -> PropertyListValue? {
      Int128(digits: text).flatMap(PropertyListValue.init(exactly:))
    }
  }
}
