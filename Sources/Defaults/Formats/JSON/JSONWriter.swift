import Foundation

extension Defaults {
  /// Writes values by the convention of ``JSONFormat``.
  struct JSONWriter {
    let layout: JSONFormat.Layout
    private var bytes: [UInt8] = []
    private var level = 0

    init(layout: JSONFormat.Layout) {
      self.layout = layout
    }

    /// The text; ends with a line break if it has lines.
    consuming func finish() -> [UInt8] {
      if layout == .lines { bytes.append(UInt8(ascii: "\n")) }
      return bytes
    }

    mutating func write(_ entries: [String: PropertyListValue]) {
      let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      write(sorted, between: "{", "}") { writer, entry in
        writer.write(JSONTag.escape(entry.key))
        writer.append(writer.layout == .lines ? ": " : ":")
        writer.write(entry.value)
      }
    }

    mutating func write(_ value: PropertyListValue) {
      switch value {
      case .bool(let bool): append(bool ? "true" : "false")
      case .string(let text): write(text)
      case .array(let elements): write(elements, between: "[", "]") { $0.write($1) }
      case .dictionary(let entries): write(entries)
      case .integer(let number) where JSONTag.isSafe(number): append("\(number)")
      case .real(let number) where number.isFinite: append("\(number)")
      case .integer(let number): write(.integer, "\(number)")
      case .unsignedInteger(let number): write(.integer, "\(number)")
      case .real(let number): write(.real, ExactText.text(of: number))
      case .date(let date): write(.date, ExactText.text(of: date))
      case .data(let data): write(.data, data.base64EncodedString())
      }
    }

    private mutating func write(_ tag: JSONTag, _ text: String) {
      append("{")
      write(tag.rawValue)
      append(layout == .lines ? ": " : ":")
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
      guard layout == .lines else { return }
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

    private mutating func append(_ text: String) {
      bytes.append(contentsOf: text.utf8)
    }
  }
}
