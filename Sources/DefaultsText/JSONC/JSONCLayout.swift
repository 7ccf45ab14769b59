import Defaults
import Foundation

/// The lines and the indentation of a text, and the form of what is added to it.
struct JSONCLayout {
  let bytes: [UInt8]
  /// The first line break of the text, or a line feed.
  let lineBreak: [UInt8]
  /// The additional indentation of each level.
  let unit: [UInt8]
  /// The offsets of the beginnings of the lines.
  private let starts: [Int]

  init(_ structure: JSONCStructure) {
    bytes = structure.bytes
    var starts = [bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0]
    for index in bytes.indices where JSONCStructure.isBreak(bytes[index]) {
      let isPair = bytes[index] == 0x0d && bytes[(index + 1)...].first == 0x0a
      if !isPair { starts.append(index + 1) }
    }
    self.starts = starts
    let breaks = bytes.drop { !JSONCStructure.isBreak($0) }.prefix(2)
    lineBreak =
      breaks.isEmpty
      ? [0x0a] : breaks.elementsEqual([0x0d, 0x0a]) ? [0x0d, 0x0a] : [breaks[breaks.startIndex]]
    unit = Array("  ".utf8)
  }

  private init(_ layout: Self, unit: [UInt8]) {
    (bytes, lineBreak, starts) = (layout.bytes, layout.lineBreak, layout.starts)
    self.unit = unit
  }

  /// Returns the layout with the indentation of the first element that begins a line.
  func indented(like root: JSONCStructure.Value) -> Self {
    let first = root.elements.lazy.map(\.start).first(where: beginsLine)
    let outer = indentation(at: root.range.lowerBound)
    guard let first else { return self }
    let inner = indentation(at: first)
    guard inner.count > outer.count, inner.starts(with: outer) else { return self }
    return Self(self, unit: Array(inner[outer.count...]))
  }

  // MARK: - Lines

  /// The offset of the beginning of the line of an offset.
  func lineStart(of offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return max(starts[low], 0)
  }

  /// The white space at the beginning of the line of an offset.
  func indentation(at offset: Int) -> [UInt8] {
    Array(bytes[lineStart(of: offset)...].prefix { $0 == 0x20 || $0 == 0x09 })
  }

  /// Whether nothing but spaces precedes an offset in its line.
  func beginsLine(_ offset: Int) -> Bool {
    let end = skippingSpacesBack(from: offset)
    return end == starts[0] && end <= offset || end > 0 && JSONCStructure.isBreak(bytes[end - 1])
  }

  /// The end of the line's break if nothing but spaces follows an offset in its line.
  func endOfLine(after offset: Int) -> Int? {
    let end = skippingSpaces(from: offset)
    guard end < bytes.count, JSONCStructure.isBreak(bytes[end]) else { return nil }
    return end + (bytes[end...].starts(with: [0x0d, 0x0a]) ? 2 : 1)
  }

  func skippingSpaces(from offset: Int) -> Int {
    var offset = offset
    while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 { offset += 1 }
    return offset
  }

  func skippingSpacesBack(from offset: Int) -> Int {
    var offset = offset
    while offset > starts[0], bytes[offset - 1] == 0x20 || bytes[offset - 1] == 0x09 { offset -= 1 }
    return offset
  }

  // MARK: - New text

  /// The text of a value: in lines, after an indentation, or in one line.
  func text(of value: PropertyListValue, indentation: [UInt8]?, isCompact: Bool) -> [UInt8] {
    var writer = Defaults.JSONWriter(hasLines: !isCompact)
    writer.write(value)
    let text = writer.finish()
    if isCompact { return text }
    // No string contains a line break, because it is escaped.
    var result: [UInt8] = []
    var index = 0
    let end = text.count - 1
    while index < end {
      let byte = text[index]
      index += 1
      guard byte == 0x0a else {
        result.append(byte)
        continue
      }
      let spaces = text[index..<end].prefix { $0 == 0x20 }.count
      index += spaces
      if let indentation {
        result += lineBreak + indentation
        for _ in 0..<(spaces / 2) { result += unit }
      } else if result.last == UInt8(ascii: ",") {
        result.append(0x20)
      }
    }
    return result
  }

  /// A comment in lines of its own, each with its line break and the indentation of the next one.
  func comment(_ text: String, indentation: [UInt8]) -> [UInt8] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { line in
      let words = line.trimmingCharacters(in: .whitespaces)
      return Array((words.isEmpty ? "//" : "// \(words)").utf8) + lineBreak + indentation
    }
  }
}
