import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Property list formats")
struct PropertyListFormatTests {
  typealias Format = Defaults.PropertyListFormat
  typealias Value = Defaults.PropertyListValue

  private static let formats: [Format] = [.binary, .xml]

  private static func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// A value with this many levels.
  private static func nested(_ levels: Int) -> Value {
    (1..<levels).reduce(.integer(1)) { value, level in
      level.isMultiple(of: 2) ? .array([value]) : .dictionary(["k": value])
    }
  }

  /// Values that both formats hold.
  private static let common: [Value] = [
    true, false, 0, 1, -1, 255, 256, 65_536, .integer(.min), .integer(.max), .unsignedInteger(.max),
    .unsignedInteger(1 << 63), 0.0, 1.0, 0.1, -2.5, .real(.leastNonzeroMagnitude),
    .real(.greatestFiniteMagnitude),
    .real(.leastNormalMagnitude.nextDown), .real(.infinity), .real(-.infinity), .real(.nan),
    9_007_199_254_740_993, "", " ", "  a\t\n ", "a\nb", "plain", "é", "e\u{301}", "😀👩‍👩‍👧",
    "<&>'\"]]>&amp;",
    "\u{7f}\u{80}\u{85}\u{2028}", "a\u{feff}", noncharacter(0x10_ffff), noncharacter(0xfdd0),
    .data(Data()),
    .data(Data(0...255)), date(0), date(1), date(-1), date(-63_145_526_400), .date(.distantPast),
    .date(.distantFuture),
    date(252_423_993_599), date(730_000_000), [], [:], [[], [:], [[]]], ["": "", " ": 1],
    ["a": ["b": ["c": [1, 1.0, true, "1"]]]], ["CF$UID": "x"], ["CF$UID": 1, "other": 2],
    .string(String(repeating: "huge ü ", count: 100_000)),
    .data(Data(repeating: 7, count: 300_000)), .array(Array(repeating: 1, count: 70_000)),
    nested(Value.maximumDepth),
  ]

  /// Values that only the binary format holds, and the reason of the XML format's error.
  private static let binaryOnly: [(Value, String)] = [
    (-0.0, "XML loses the sign of -0.0; use 0.0, or format: .binary"),
    (date(0.5), wholeSeconds), (date(1e-300), wholeSeconds), (date(-0.0), wholeSeconds),
    (date(1e9.nextUp), wholeSeconds), (date(-63_145_526_401), years),
    (date(252_423_993_600), years), (date(1e18), years), (date(.infinity), years),
    (date(-.infinity), years), (date(.nan), years),
    (date(Double(bitPattern: 0x7ff8_0000_0000_0abc)), years),
    ("a\0b", character("0000", "the string")), ("\u{1}", character("0001", "the string")),
    ("\u{1f}", character("001F", "the string")), ("a\r\nb", character("000D", "the string")),
    ("\r", character("000D", "the string")), ("\u{b}", character("000B", "the string")),
    (noncharacter(0xfffe), character("FFFE", "the string")),
    (noncharacter(0xffff), character("FFFF", "the string")),
    ("\u{feff}a", character("FEFF", "the string")),
    (["a\r": 1], "a\\u{D}: " + character("000D", "the key")),
    (["\u{feff}": 1], escaped("\u{feff}") + ": " + character("FEFF", "the key")),
    (["CF$UID": 1], uid), (["CF$UID": 1.5], uid), ([1, [-0.0]], "[1].[0]: " + negativeZero),
    ([["a": ["CF$UID": 1]]], "[0].a: " + uid),
  ]

  private static let wholeSeconds =
    "XML holds whole seconds only; round the date to whole seconds, or use format: .binary"
  private static let years = "XML holds dates of the years 0 to 9999 only; use format: .binary"
  private static let negativeZero = "XML loses the sign of -0.0; use 0.0, or format: .binary"
  private static let uid =
    "XML can't hold a dictionary whose only key is CF$UID; rename it, or use format: .binary"

  private static func character(_ code: String, _ what: String) -> String {
    "XML can't hold the character U+\(code) of \(what); remove it, or use format: .binary"
  }

  private static func noncharacter(_ value: UInt32) -> Value {
    .string(String(String.UnicodeScalarView(Unicode.Scalar(value).map { [$0] } ?? [])))
  }

  @Test("A property list format returns its values bit for bit", arguments: formats)
  func roundTrip(format: Format) throws {
    let values = Self.common + (format == .binary ? Self.binaryOnly.map(\.0) : [])
    var entries: [String: Value] = ["": 1, "e\u{301}": 2, "a.b/c": 3, "😀": 4]
    for (index, value) in values.enumerated() {
      try format.validate(value)
      let alone = try Format.decode(try format.encode(["k": value]))
      // Not compared in the macro, which prints: the description of a NaN date traps.
      let isSame = alone.entries == ["k": value]
      #expect(isSame, "value \(index)")
      #expect(alone.format == format)
      entries["\(index)"] = value
    }
    // All values in one file, where a writer might confuse them.
    let areSame = try Format.decode(try format.encode(entries)).entries == entries
    #expect(areSame)
  }

  @Test("A format keeps what equality ignores: the type of a number and the bits of a NaN")
  func cases() throws {
    for format in Self.formats {
      let entries = try Format.decode(
        format.encode(["real": 1.0, "integer": 1, "bool": true, "nan": .real(.nan)])
      ).entries
      guard case .real(1) = entries["real"], case .integer(1) = entries["integer"],
        case .bool(true) = entries["bool"], case .real(let nan) = entries["nan"]
      else {
        Issue.record("The number types were confused: \(entries)")
        continue
      }
      #expect(nan.bitPattern == Double.nan.bitPattern)
    }
  }

  @Test("Validating an entry that is too deep throws in a suite on a property list")
  func depth() throws {
    let folder = try TemporaryFolder()
    let suite = try Defaults.PropertyListSuite(url: folder.url("depth.plist"))
    let deepest = (1..<Value.maximumDepth).reduce(1 as Value) { value, _ in .array([value]) }
    try suite.validate(deepest, named: "a")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.validate(.array([deepest]), named: "a")
    }
    #expect(error?.code == .unrepresentable)
  }

  @Test("An entry that is too deep is never set, by any way of setting entries")
  func depthOfSet() throws {
    let folder = try TemporaryFolder()
    let issues = IssueLog()
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("depth.plist"), onIssue: { issues.append($0) })
    let deepest = (1..<Value.maximumDepth).reduce(1 as Value) { value, _ in .array([value]) }
    suite.set(deepest, forKey: "a")
    suite.set(.array([deepest]), forKey: "a")
    #expect(issues.codes == [.unrepresentable])
    #expect(throws: Defaults.SuiteError.self) {
      try suite.setEntries(["a": .array([deepest]), "c": 1])
    }
    #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { try $0.setEntry(.array([deepest]), named: "a") }
    }
    #expect(suite.entries == ["a": deepest])
    try suite.flush(.snapshot)
    let stored = try Format.decode(Data(contentsOf: folder.url("depth.plist"))).entries
    #expect(stored == ["a": deepest])
  }

  @Test("Every entry of a dictionary is validated, at any position")
  func everyEntry() {
    let names = (0..<100).map { "\($0)" }
    var entries = Dictionary(uniqueKeysWithValues: names.map { ($0, 1 as Value) })
    for name in names.prefix(10) {
      entries[name] = -0.0
      #expect(throws: Defaults.ConversionError.self) {
        try Format.xml.validate(.dictionary(entries))
      }
      #expect(throws: Defaults.ConversionError.self) {
        try Format.xml.validate(.array([1, .dictionary(entries), 2]))
      }
      entries[name] = 1
    }
  }

  @Test(
    "A value that XML can't hold exactly is rejected with an alternative",
    arguments: binaryOnly.indices)
  func refusedByXML(index: Int) throws {
    let (value, reason) = Self.binaryOnly[index]
    let error = try #require(throws: Defaults.ConversionError.self) {
      try Format.xml.validate(value)
    }
    #expect(error.description == reason)
    #expect(throws: Defaults.ConversionError("\(error.at("k"))")) {
      try Format.xml.encode(["k": value])
    }
    try Format.binary.validate(value)
  }

  @Test("Rewriting XML stores a real with 17 digits, as Foundation does, and loses comments")
  func rewrittenXML() throws {
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><!-- a ratio --><key>x</key><real>0.3</real></dict></plist>
      """
    let entries = try Format.decode(Data(xml.utf8)).entries
    #expect(entries == ["x": 0.3])
    let saved = try Format.xml.encode(entries)
    let text = String(decoding: saved, as: UTF8.self)
    #expect(try Format.decode(saved).entries == entries)
    #expect(!text.contains("ratio"))
    #if !canImport(Darwin)
      // If this fails, Foundation was corrected: remove the limitation from the README.
      #expect(text.contains("<real>0.29999999999999999</real>"))
    #endif
  }

  @Test("A NaN other than Double.nan is rejected by both formats", arguments: formats)
  func payloads(format: Format) {
    for bits: UInt64 in [0xfff8_0000_0000_0000, 0x7ff8_0000_0000_0001, 0x7ff0_0000_0000_0001] {
      let value = Value.array([.real(Double(bitPattern: bits))])
      let reason = "a NaN with a sign or payload can't be stored exactly; use Double.nan"
      #expect(throws: Defaults.ConversionError(reason, path: ["[0]"])) {
        try format.validate(value)
      }
      #expect(throws: Defaults.ConversionError.self) { try format.encode(["k": value]) }
    }
  }

  @Test("A value with too many levels is rejected by both formats", arguments: formats)
  func depth(format: Format) {
    for levels in [Value.maximumDepth + 1, 3_000] {
      #expect(throws: Defaults.ConversionError("the value has more than 256 levels")) {
        try format.validate(Self.nested(levels))
      }
      #expect(throws: Defaults.ConversionError.self) {
        try format.encode(["k": Self.nested(levels)])
      }
    }
  }

  @Test("Names of entries that XML can't hold are rejected by the XML format only")
  func names() throws {
    for name in ["a\0", "\r", "\u{feff}a"] {
      #expect(throws: Defaults.ConversionError.self) { try Format.xml.validate(name: name) }
      #expect(throws: Defaults.ConversionError.self) { try Format.xml.encode([name: 1]) }
      try Format.binary.validate(name: name)
      #expect(try Format.decode(Format.binary.encode([name: 1])).entries == [name: 1])
    }
    #expect(throws: Defaults.ConversionError.self) { try Format.xml.encode(["CF$UID": 1]) }
  }

  @Test("An empty set of entries is a valid file", arguments: formats)
  func empty(format: Format) throws {
    let decoded = try Format.decode(format.encode([:]))
    #expect(decoded.entries.isEmpty)
    #expect(decoded.format == format)
  }

  @Test("An empty file, white space, and other formats are rejected, not read as no entries")
  func otherFormats() {
    #expect(throws: Defaults.ConversionError("it is empty")) {
      try Format.decode(Data())
    }
    let others = [
      " ", "\n\t \r\n", "\u{feff}", "hello", "{ a = 1; }", "{}", "()", "<48656c6c6f>", "{\"a\": 1}",
      "[]", "null", "a = 1;", "<html></html>", "<!DOCTYPE html>", "\0\0\0\0", "bplis", "<pl", "<",
      "// !$*UTF8*$!\n{}", "\"a\" = \"b\";", "1", "PK\u{3}\u{4}",
    ]
    let reason = "it is neither a binary nor an XML property list"
    for other in others {
      #expect(throws: Defaults.ConversionError(reason, offset: 0), "\(other)") {
        try Format.decode(Data(other.utf8))
      }
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Format.decode(Data(repeating: 0, count: 4_096))
    }
    let wide = Data(
      "<?xml version=\"1.0\"?><plist><dict/></plist>".utf16.flatMap { [0, UInt8($0)] })
    #expect(throws: Defaults.ConversionError.self) { try Format.decode(wide) }
  }

  @Test("The format is detected by the first bytes")
  func detection() {
    #expect(Format.detect(Data("bplist00".utf8)) == .binary)
    for start in ["<?xml", "\u{feff}<?xml", " \n<plist", "<!DOCTYPE plist", "<!--"] {
      #expect(Format.detect(Data(start.utf8)) == .xml)
    }
    #expect(Format.detect(Data([9] + "bplist00".utf8).dropFirst()) == .binary)
  }

  @Test("A property list that begins with a comment is read, and other text that does is rejected")
  func commentFirst() throws {
    let file = "<!-- a --> <plist><dict><key>k</key><true/></dict></plist>"
    let decoded = try Format.decode(Data(file.utf8))
    #expect(decoded.entries == ["k": true])
    #expect(decoded.format == .xml)
    for (other, reason, offset) in [
      ("<!-- a --><html></html>", "there is no <plist>", 16),
      ("<!-- a --><!DOCTYPE html><html/>", "there is no <plist>", 32),
      ("<!-- a -->", "there is no <plist>", 10), ("<!-- a", "a comment has no end", 4),
    ] {
      #expect(throws: Defaults.ConversionError(reason, offset: offset), "\(other)") {
        try Format.decode(Data(other.utf8))
      }
    }
  }
}
