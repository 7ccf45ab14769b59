import Defaults
import Foundation

/// Generates settings files as people write them, and changes of their entries.
package struct JSONCSample {
  private var random: SplitMix64
  private var text = ""
  /// The number of the next comment; each has its own.
  private var number = 0
  private let lineBreak: String
  private let unit: String
  private let colon: String
  /// Whether spaces, lines and comments are anywhere, rather than where people put them.
  private let isOdd: Bool
  private let isCommaFirst: Bool
  private let hasCommaAtEnd: Bool
  /// Of 100 places, the number with a comment.
  private let comments: Int

  package init(seed: UInt64) {
    random = SplitMix64(state: seed)
    lineBreak = random.pick(["\n", "\n", "\n", "\r\n", "\r\n", "\r"])
    unit = random.pick(["  ", "  ", "    ", "\t", "", " "])
    colon = random.pick([": ", ": ", ": ", ":", " : ", " :", ":  "])
    isOdd = random.oneIn(3)
    isCommaFirst = random.oneIn(6)
    hasCommaAtEnd = random.oneIn(3)
    comments = random.pick([0, 10, 25, 50])
  }

  // MARK: - Files

  /// A file: an object, sometimes with a byte order mark, and comments around it.
  package mutating func file() -> String {
    text = random.oneIn(8) ? "\u{feff}" : ""
    if random.oneIn(3) { commentLines("") }
    object(level: 0, indentation: "", mayHaveSchema: true)
    if random.oneIn(4) { text += " " + blockComment() }
    if !random.oneIn(4) { text += lineBreak }
    if random.oneIn(6) { commentLines("") }
    return text
  }

  private mutating func object(level: Int, indentation: String, mayHaveSchema: Bool = false) {
    var names = Set<String>()
    let count = level == 0 ? random.below(14) : random.below(5)
    while names.count < count { names.insert(name(level: level)) }
    var members = names.sorted()
    members.shuffle(using: &random)
    // Names of a group are together.
    if random.oneIn(2) { members.sort { $0.prefix(4) < $1.prefix(4) } }
    var literals = members.map { literal(Defaults.JSONTag.escape($0)) }
    let schema = mayHaveSchema && random.oneIn(6)
    if schema { literals.insert("\"$schema\"", at: 0) }
    container("{", "}", count: literals.count, level: level, indentation) { sample, index, inner in
      sample.text += literals[index]
      sample.odd(inner)
      sample.text += sample.colon
      sample.odd(inner)
      if schema, index == 0 {
        sample.text += "\"https://example.com/settings.json\""
      } else {
        sample.value(level: level + 1, inner)
      }
    }
  }

  private mutating func array(level: Int, indentation: String) {
    container("[", "]", count: random.below(6), level: level, indentation) { sample, _, inner in
      sample.value(level: level + 1, inner)
    }
  }

  private mutating func container(
    _ open: String, _ close: String, count: Int, level: Int, _ outer: String,
    _ element: (inout Self, Int, String) -> Void
  ) {
    let inner = outer + unit
    text += open
    if isOdd {
      odd(inner)
      for index in 0..<count {
        element(&self, index, inner)
        odd(inner)
        if index + 1 < count || hasCommaAtEnd { text += "," }
        odd(inner)
      }
      text += close
      return
    }
    if level == 0 ? random.oneIn(10) : random.oneIn(3) {
      let space = random.pick(["", " "])
      if hasComment() { text += space + blockComment() + space }
      for index in 0..<count {
        text += index == 0 ? space : ""
        element(&self, index, outer)
        if hasComment() { text += " " + blockComment() }
        if index + 1 < count { text += "," + random.pick([" ", " ", ""]) }
        if index + 1 < count, hasComment() { text += blockComment() }
      }
      text += (count > 0 ? space : "") + close
      return
    }
    lines(count: count, inner, element)
    text += outer + close
  }

  /// Elements in lines, as people write them.
  private mutating func lines(
    count: Int, _ inner: String, _ element: (inout Self, Int, String) -> Void
  ) {
    if hasComment() { text += " " + comment() }
    text += lineBreak
    var index = 0
    while index < count {
      if index > 0, random.oneIn(5) { text += lineBreak }
      if hasComment(), random.oneIn(3) {
        commentLines(inner)
        text += lineBreak
      }
      if hasComment() { commentLines(inner) }
      text += inner
      if isCommaFirst, index > 0 { text += ", " }
      let end = min(count, index + (random.oneIn(8) ? 2 + random.below(2) : 1))
      while index < end {
        if hasComment(), random.oneIn(4) { text += blockComment() + " " }
        element(&self, index, inner)
        if hasComment(), random.oneIn(4) { text += " " + blockComment() }
        index += 1
        let isBeforeComma = isCommaFirst ? index < end : index < count || hasCommaAtEnd
        if isBeforeComma { text += index < end ? ", " : "," }
      }
      if hasComment() { text += " " + comment() }
      text += random.oneIn(20) ? " " + lineBreak : lineBreak
    }
    if hasComment() { commentLines(inner) }
    if isCommaFirst, hasCommaAtEnd, count > 0 { text += inner + "," + lineBreak }
  }

  private mutating func value(level: Int, _ indentation: String) {
    switch random.below(level > 3 ? 5 : 9) {
    case 5, 6: array(level: level, indentation: indentation)
    case 7, 8: object(level: level, indentation: indentation)
    case 0:
      text += random.pick(["0.50", "1e3", "-0", "1E+2", "2.0", "-7", "12345", "-0.0"])
    case 1: text += literal(string())
    default:
      var writer = Defaults.JSONWriter(hasLines: false)
      writer.write(Self.scalar(&random))
      text += String(decoding: writer.finish(), as: UTF8.self)
    }
  }

  // MARK: - Parts

  private mutating func hasComment() -> Bool { random.below(100) < comments }

  private mutating func odd(_ indentation: String) {
    guard isOdd else { return }
    for _ in 0..<random.below(3) {
      text += random.pick([
        "", " ", "\t", lineBreak, lineBreak + indentation, lineBreak + lineBreak,
      ])
      if hasComment() {
        text += comment()
        if !text.hasSuffix("*/") { text += lineBreak }
      }
    }
  }

  private mutating func commentLines(_ indentation: String) {
    for _ in 0...random.below(3) {
      text += indentation + comment() + lineBreak
    }
  }

  private mutating func comment() -> String {
    if random.oneIn(4) { return blockComment() }
    number += 1
    return "//" + random.pick([" c\(number)", "c\(number), {\"a\": [1,", " c\(number) /* \\"])
  }

  private mutating func blockComment() -> String {
    number += 1
    return random.pick([
      "/* c\(number) */", "/*c\(number)*/", "/** c\(number) // **/",
      "/* c\(number)\(lineBreak)   , \"a\" } */", "/* c\(number)\(lineBreak)\(lineBreak) */",
    ])
  }

  private mutating func literal(_ text: String) -> String {
    if random.oneIn(8), let first = text.unicodeScalars.first, first.value < 0x80 {
      let code = String(first.value, radix: 16)
      return "\"\\u" + String(repeating: "0", count: 4 - code.count) + code
        + literal(String(text.unicodeScalars.dropFirst())).dropFirst()
    }
    var writer = Defaults.JSONWriter(hasLines: false)
    writer.write(.string(text))
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  private mutating func string() -> String {
    random.pick([
      "// no comment", "/* nor this */", "a\\", "\"", "}", "],", "\u{1}", "Ü\u{1f600}", "",
    ])
  }

  private mutating func name(level: Int) -> String { Self.name(&random) }

  private static let groups = ["editor.", "editor.font.", "files.", "net.", "", "", ""]
  private static let words = [
    "size", "family", "tabs", "width", "proxy", "exclude", "x", "y", "zoom", "theme", "$date",
    "$", "ключ", "a \"b\"", "//", "/*", "{", "\\", "long name of a setting",
  ]

  fileprivate static func name(_ random: inout SplitMix64) -> String {
    random.pick(groups) + random.pick(words) + (random.oneIn(3) ? "\(random.below(30))" : "")
  }

  fileprivate static func scalar(_ random: inout SplitMix64) -> Defaults.PropertyListValue {
    switch random.below(8) {
    case 0: .bool(random.oneIn(2))
    case 1: .integer(Int64(random.below(1_000)) - 500)
    case 2: .integer(Int64(truncatingIfNeeded: random.next()))
    case 3: .real(Double(random.below(1_000)) / 8)
    case 4: .date(Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 30))))
    case 5: .data(Data([UInt8(random.below(256)), 2, 3]))
    case 6: .string(random.pick(["text", "// not", "*/", "\r\n", "{", "a, b"]))
    default: .string("s\(random.below(100))")
    }
  }
}

/// A random change of entries.
package enum JSONCChange {
  /// Makes a change: sets, removes or adds an entry, or changes a part of one.
  package static func apply(
    to entries: inout [String: Defaults.PropertyListValue], _ random: inout SplitMix64
  ) {
    let names = entries.keys.sorted()
    if names.isEmpty || random.oneIn(4) {
      entries[JSONCSample.name(&random)] = value(&random, levels: 2)
      return
    }
    let name = random.pick(names)
    switch random.below(6) {
    case 0, 1: entries[name] = nil
    case 2: entries[name] = value(&random, levels: 2)
    default: entries[name] = entries[name].map { changed($0, &random) }
    }
    // All or most of them.
    if random.oneIn(60) { for name in names where !random.oneIn(10) { entries[name] = nil } }
  }

  private static func value(
    _ random: inout SplitMix64, levels: Int
  ) -> Defaults.PropertyListValue {
    if levels == 0 || !random.oneIn(3) { return JSONCSample.scalar(&random) }
    let elements = (0..<random.below(4)).map { _ in value(&random, levels: levels - 1) }
    if random.oneIn(2) { return .array(elements) }
    return .dictionary(
      Dictionary(elements.map { (JSONCSample.name(&random), $0) }) { first, _ in first })
  }

  private static func changed(
    _ value: Defaults.PropertyListValue, _ random: inout SplitMix64
  ) -> Defaults.PropertyListValue {
    switch value {
    case .dictionary(var entries):
      apply(to: &entries, &random)
      return .dictionary(entries)
    case .array(var elements):
      switch elements.isEmpty ? 0 : random.below(5) {
      case 0: elements.insert(self.value(&random, levels: 1), at: random.below(elements.count + 1))
      case 1: elements.remove(at: random.below(elements.count))
      case 2: elements.append(self.value(&random, levels: 1))
      case 3: elements.removeAll { _ in random.oneIn(2) }
      default:
        let index = random.below(elements.count)
        elements[index] = changed(elements[index], &random)
      }
      return .array(elements)
    default: return JSONCSample.scalar(&random)
    }
  }
}
