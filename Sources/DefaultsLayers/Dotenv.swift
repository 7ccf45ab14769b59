import Defaults
import Foundation

/// The variables in a text of lines `NAME=VALUE`.
///
/// Quotation marks and escapes are those of a shell, but nothing is expanded: `$HOME` and `${X}`
/// are text.
struct Dotenv: Sendable {
  struct Variable: Sendable, Equatable {
    let name: String
    let text: String
    /// The line, from 1.
    let line: Int
  }

  /// The variables in their order.
  private(set) var variables: [Variable] = []
  /// The first lines that aren't `NAME=VALUE`, with the reason.
  private(set) var mistakes: [(line: Int, reason: String)] = []
  /// The number of all such lines.
  private(set) var mistakeCount = 0

  /// The maximum number of lines that are reported. A file of another kind has many more.
  private static let mostMistakes = 100

  private struct Mistake: Error { let reason: String }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while position < bytes.count {
      let (start, first) = (position, line)
      do {
        if let (name, text) = try assignment() {
          variables.append(Variable(name: name, text: text, line: first))
        }
      } catch {
        // A string without an end must not include the lines after it.
        (position, line) = (start, first)
        mistakeCount += 1
        if mistakeCount <= Self.mostMistakes { mistakes.append((first, error.reason)) }
        position = bytes[position...].firstIndex(where: Self.isLineBreak) ?? bytes.count
      }
      if next != nil { advance() }
    }
  }

  /// The variable of the current line; nil for an empty line or a comment.
  private mutating func assignment() throws(Mistake) -> (name: String, text: String)? {
    skipSpace()
    if isAtEnd {
      skipLine()
      return nil
    }
    var name = word()
    if name == "export", let byte = next, Self.isSpace(byte) {
      skipSpace()
      name = word()
    }
    skipSpace()
    guard let first = name.utf8.first, !Self.isDigit(first), next == UInt8(ascii: "=") else {
      throw Mistake(reason: "the line isn't NAME=VALUE")
    }
    position += 1
    skipSpace()
    let text: [UInt8]
    switch next {
    case UInt8(ascii: "'"): text = try literal()
    case UInt8(ascii: "\""): text = try quoted()
    default: return (name, String(decoding: plain(), as: UTF8.self))
    }
    let end = position
    skipSpace()
    // A comment needs a space before it.
    guard isAtEnd, next != UInt8(ascii: "#") || position > end else {
      throw Mistake(reason: "there is text after the closing quotation mark")
    }
    skipLine()
    return (name, String(decoding: text, as: UTF8.self))
  }

  private mutating func word() -> String {
    let start = position
    while let byte = next, Self.isOfName(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// The text up to the end of the line or a comment.
  private mutating func plain() -> ArraySlice<UInt8> {
    let start = position
    // A comment needs a space before it, which may have been skipped before `start`.
    while let byte = next, !Self.isLineBreak(byte) {
      if byte == UInt8(ascii: "#"), Self.isSpace(bytes[position - 1]) { break }
      position += 1
    }
    let end = bytes[start..<position].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
    skipLine()
    return bytes[start..<end]
  }

  private mutating func literal() throws(Mistake) -> [UInt8] {
    position += 1
    let start = position
    while let byte = next, !Self.isLineBreak(byte), byte != UInt8(ascii: "'") { position += 1 }
    guard next == UInt8(ascii: "'") else {
      throw Mistake(reason: "a single quotation mark isn't closed in the same line")
    }
    defer { position += 1 }
    return Array(bytes[start..<position])
  }

  private mutating func quoted() throws(Mistake) -> [UInt8] {
    position += 1
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      let following = position + 1 < bytes.count ? bytes[position + 1] : nil
      if byte == UInt8(ascii: "\\"), let escaped = following.flatMap(Self.escaped) {
        text.append(escaped)
        position += 2
      } else if byte == UInt8(ascii: "\r"), following == UInt8(ascii: "\n") {
        position += 1
      } else {
        text.append(byte)
        advance()
      }
    }
    guard next != nil else { throw Mistake(reason: "a double quotation mark isn't closed") }
    position += 1
    return text
  }

  /// The meaning of a letter after a backslash; nil if both stand for themselves, as in a shell.
  private static func escaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): byte
    default: nil
    }
  }

  // MARK: - Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Whether the rest of the line is empty or a comment, after space was skipped.
  private var isAtEnd: Bool {
    next.map { Self.isLineBreak($0) || $0 == UInt8(ascii: "#") } ?? true
  }

  private mutating func advance() {
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private mutating func skipSpace() {
    while let byte = next, Self.isSpace(byte) { position += 1 }
  }

  /// Moves to the line break.
  private mutating func skipLine() {
    while let byte = next, !Self.isLineBreak(byte) { position += 1 }
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }

  /// A carriage return before a line break is space.
  private static func isSpace(_ byte: UInt8) -> Bool {
    [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

// MARK: - As a layer

extension Dotenv {
  /// A file of variables as a source of settings, which are named as in the environment.
  static func source(_ url: URL?, prefix: String) -> Defaults.FileSource {
    Defaults.FileSource(url) { data, path in
      guard let text = String(validating: data, as: UTF8.self) else {
        throw Defaults.SuiteError(
          .malformed, "The file isn't UTF-8 text, and its content isn't used until it is repaired",
          path: path)
      }
      return content(of: Dotenv(text), at: path, prefix: prefix)
    }
  }

  private static func content(
    of file: Dotenv, at path: String, prefix: String
  ) -> Defaults.LayerContent {
    // Of several lines with one name, the last one is used.
    let lines = Dictionary(file.variables.map { ($0.name, $0) }) { _, last in last }
    let environment = EnvironmentSource(prefix: prefix, variables: lines.mapValues(\.text))
    func place(_ line: Int) -> String { WrittenFile.place(path, line: line) }
    let texts = lines.mapValues { Defaults.LayerText($0.text, at: place($0.line)) }
    var content = Defaults.LayerContent.texts { key in
      environment.variable(of: key).flatMap { texts[$0] }
    }
    content.problems = file.mistakes.map { mistake in
      Defaults.SuiteError(
        .malformed, "The line is ignored: \(mistake.reason)", suite: place(mistake.line))
    }
    if file.mistakeCount > file.mistakes.count {
      content.problems.append(
        Defaults.SuiteError(
          .malformed,
          "The file has \(file.mistakeCount) malformed lines, which are ignored. Only the first "
            + "\(file.mistakes.count) are reported one by one", path: path))
    }
    content.texts = WrittenTexts(
      all: lines.values.filter { $0.name.hasPrefix(prefix) }.sorted { $0.line < $1.line }.map {
        WrittenTexts.Name(name: $0.name, path: path, place: place($0.line))
      },
      prefix: prefix, spelling: { environment.variable(ofName: $0) })
    return content
  }
}
