import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Lossless JSON format")
struct JSONFormatTests {
  typealias Value = Defaults.PropertyListValue

  static let values: [Value] = [
    true, false, 0, 1, -1, .integer(.max), .integer(.min), .unsignedInteger(.max),
    .unsignedInteger(UInt64(Int64.max) + 1), .integer(1 << 53), .integer(1 << 53 - 1),
    .integer(-(1 << 53)), .real(0), .real(-0.0), .real(1), .real(0.1), .real(1e300),
    .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .real(.infinity),
    .real(-.infinity),
    .real(.nan), .real(-.nan), .real(.signalingNaN), .real(Double(nan: 7, signaling: false)),
    "", "text", "\u{0}\u{1}\u{8}\u{c}\n\r\t\u{1f}\u{7f}\"\\/", "é", "e\u{301}", "\u{1F600}",
    "\u{FEFF}\u{2028}\u{FFFE}\u{FFFF}", .data(Data()), .data(Data((0...255).map { UInt8($0) })),
    .date(Date(timeIntervalSinceReferenceDate: 0)),
    .date(Date(timeIntervalSinceReferenceDate: -0.0)), .date(.distantPast), .date(.distantFuture),
    .date(Date(timeIntervalSinceReferenceDate: 785_423_024.123456)),
    .date(Date(timeIntervalSinceReferenceDate: -0.25)),
    .date(Date(timeIntervalSinceReferenceDate: 1e-300)),
    .date(Date(timeIntervalSinceReferenceDate: 1e300)),
    .date(Date(timeIntervalSinceReferenceDate: .nan)),
    .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
    [], [:], [[], [:], [1, 1.0, true, "1"]], ["": ["a": [1]], "b": "c"],
    ["$date": "x"], ["$$date": 1, "$": 2, "$x": 3], ["$\u{301}": 1], ["$data": ["$real": "inf"]],
  ]

  // By index: Foundation traps where it describes a NaN date.
  @Test("Each value is read back from JSON bit for bit", arguments: values.indices)
  func roundTrip(index: Int) throws {
    let value = Self.values[index]
    for format in [Defaults.JSONFormat(), Defaults.JSONFormat(isCompact: true)] {
      let data = try format.encode(["x": value, "$y": [value]])
      #expect(try format.decode(data) == ["x": value, "$y": [value]])
    }
  }

  @Test("Values are written to JSON by the documented convention")
  func convention() throws {
    let entries: [String: Value] = [
      "bool": true, "integer": 5, "large": .integer(.max), "real": 5.0, "negative zero": -0.0,
      "infinite": .real(-.infinity), "bits": .real(Double(bitPattern: 0x7ff8_0000_0000_0007)),
      "date": .date(Date(timeIntervalSinceReferenceDate: 785_423_024.25)),
      "early": .date(Date(timeIntervalSinceReferenceDate: 1e300)), "data": .data(Data([0, 1, 2])),
      "list": [1, ["a": "é\n\u{1}"]], "empty": [[], [:]], "$name": ["$date": 1],
    ]
    let text = String(decoding: try Defaults.JSONFormat().encode(entries), as: UTF8.self)
    #expect(
      text == """
        {
          "$$name": {
            "$$date": 1
          },
          "bits": {"$real": "0x7ff8000000000007"},
          "bool": true,
          "data": {"$data": "AAEC"},
          "date": {"$date": "2025-11-21T13:03:44.25Z"},
          "early": {"$date": "1e+300"},
          "empty": [
            [],
            {}
          ],
          "infinite": {"$real": "-inf"},
          "integer": 5,
          "large": {"$integer": "9223372036854775807"},
          "list": [
            1,
            {
              "a": "é\\n\\u0001"
            }
          ],
          "negative zero": -0.0,
          "real": 5.0
        }

        """)
    let compact = try Defaults.JSONFormat(isCompact: true).encode([
      "b": [1, 2.0], "a": ["x": true],
    ])
    #expect(String(decoding: compact, as: UTF8.self) == #"{"a":{"x":true},"b":[1,2.0]}"#)
    #expect(String(decoding: try Defaults.JSONFormat().encode([:]), as: UTF8.self) == "{}\n")
  }

  @Test("Other programs can read exported JSON")
  func foreignReader() throws {
    let entries = Dictionary(
      uniqueKeysWithValues: Self.values.enumerated().map { ("\($0.offset)", $0.element) })
    for format in [Defaults.JSONFormat(), Defaults.JSONFormat(isCompact: true)] {
      let object = try JSONSerialization.jsonObject(with: try format.encode(entries))
      #expect((object as? NSDictionary)?.count == entries.count)
    }
  }

  @Test("JSON written by people and other programs is read")
  func foreignText() throws {
    let text = """
      \u{feff} { "a" : [ 1 , -2.5E+1,1e2, -0 ] ,\r\n\t"b":"\\u00e9\\ud83d\\ude00\\/\\b\\f\\r",
      "e": "\\ud83d\\ude00x\\ud83d\\ude00",
      "n": {"$integer": "7"}, "r": {"$real": "1.5"}, "d": { "$date" : "2001-01-01T00:00:01.5Z" } ,
      "s": {"$date": "0.5"}, "big": 18446744073709551615, "min": -9223372036854775808 }

      """
    let entries = try Defaults.JSONFormat().decode(Data(text.utf8))
    #expect(
      entries == [
        "a": [1, -25.0, 100.0, -0.0], "b": "é\u{1F600}/\u{8}\u{c}\r",
        "e": "\u{1F600}x\u{1F600}", "n": 7, "r": 1.5,
        "d": .date(Date(timeIntervalSinceReferenceDate: 1.5)),
        "s": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
        "big": .unsignedInteger(.max), "min": .integer(.min),
      ])
  }

  static let malformed: [(String, String)] = [
    ("", "it is empty"),
    (" ", "an object was expected at byte 1"),
    ("[]", "an object was expected at byte 0"),
    (#"{"$date": "2001-01-01T00:00:00Z"}"#, "an object with entries was expected at byte 0"),
    ("{} x", "there is text after the object at byte 3"),
    ("{}{}", "there is text after the object at byte 2"),
    ("{", "the text ends too early at byte 1"),
    (#"{"a""#, "the text ends too early at byte 4"),
    (#"{"a":"#, "the text ends too early at byte 5"),
    (#"{"a":1"#, "the text ends too early at byte 6"),
    (#"{"a":"b"#, "the string has no end at byte 5"),
    (#"{a:1}"#, "a string was expected at byte 1"),
    (#"{"a" 1}"#, "\":\" was expected at byte 5"),
    (#"{"a":1,}"#, "an element was expected at byte 7"),
    (#"{"a":[1,]}"#, "an element was expected at byte 8"),
    (#"{"a":[1 2]}"#, "\",\" was expected at byte 8"),
    (#"{"a":null}"#, "null can't be stored; leave the name out at byte 5"),
    (#"{"a":nul}"#, "a value was expected at byte 5"),
    (#"{"a":True}"#, "a value was expected at byte 5"),
    (#"{"a":'x'}"#, "a value was expected at byte 5"),
    (#"{"a":1,"a":2}"#, "the key \"a\" appears twice in a dictionary at byte 7"),
    (#"{"a":01}"#, "a number can't begin with 0 at byte 5"),
    (#"{"a":-}"#, "a digit was expected at byte 6"),
    (#"{"a":1.}"#, "a digit was expected at byte 7"),
    (#"{"a":1e}"#, "a digit was expected at byte 7"),
    (#"{"a":+1}"#, "a value was expected at byte 5"),
    (#"{"a":NaN}"#, "a value was expected at byte 5"),
    (#"{"a":1e999}"#, "the real is too large for 64 bits at byte 5"),
    (
      #"{"a":18446744073709551616}"#,
      "the integer has more than 64 bits; append .0 for a real at byte 5"
    ),
    (#"{"a":"\x"}"#, "the escape is unknown at byte 6"),
    (#"{"a":"\u12"}"#, "four hexadecimal digits were expected at byte 8"),
    (#"{"a":"\u"#, "four hexadecimal digits were expected at byte 8"),
    (#"{"a":"\u+041"}"#, "four hexadecimal digits were expected at byte 8"),
    (#"{"a":"\u-000"}"#, "four hexadecimal digits were expected at byte 8"),
    (#"{"a":"\ud800"}"#, "a surrogate in the string has no partner at byte 6"),
    (#"{"a":"\ud800\u0041"}"#, "a surrogate in the string has no partner at byte 6"),
    (#"{"a":"\udc00"}"#, "a surrogate in the string has no partner at byte 6"),
    ("{\"a\":\"\t\"}", "a control character must be escaped at byte 6"),
    ("{\"a\":\"b\n\"}", "the string has no end in this line at byte 5"),
    ("{\"a\":\"b\r\n\"}", "the string has no end in this line at byte 5"),
    (
      #"{"a":{"$schema":1}}"#,
      "the name \"$schema\" isn't allowed here; write a leading $ as $$ at byte 6"
    ),
    (
      #"{"a":{"b":1,"$date":"0"}}"#,
      "the name \"$date\" isn't allowed here; write a leading $ as $$ at byte 12"
    ),
    (#"{"a":{"$date":"0.0","b":1}}"#, "\"}\" was expected at byte 19"),
    (#"{"a":{"$date":"2026"}}"#, "the date can't be read at byte"),
    (#"{"a":{"$date":0}}"#, "a string was expected at byte 14"),
    (#"{"a":{"$date":"2001-02-29T00:00:00Z"}}"#, "the date can't be read at byte"),
    (#"{"a":{"$date":"2001-01-01T00:00:00.Z"}}"#, "the date can't be read at byte"),
    (#"{"a":{"$date":"2001-01-01T00:00:00.5"}}"#, "the date can't be read at byte"),
    (#"{"a":{"$data":"AAE"}}"#, "the data can't be read at byte 14"),
    (#"{"a":{"$real":"1e999"}}"#, "the real can't be read at byte"),
    (#"{"a":{"$integer":"1.5"}}"#, "the integer can't be read at byte"),
  ]

  /// Expects that bytes are rejected, and returns the reason.
  private func refusal(
    of data: Data, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Defaults.ConversionError? {
    #expect(throws: Defaults.ConversionError.self, sourceLocation: sourceLocation) {
      try Defaults.JSONFormat().decode(data)
    }
  }

  @Test("Malformed JSON is rejected with its position", arguments: malformed)
  func refused(text: String, message: String) {
    let error = refusal(of: Data(text.utf8))
    #expect(error?.description.hasPrefix(message) == true, "\(error as Any)")
  }

  @Test("JSON that isn't UTF-8, or has names that are equal in Swift, is rejected")
  func refusedBytes() {
    let latin = Data(#"{"a":""#.utf8) + [0xe9] + Data(#""}"#.utf8)
    #expect(refusal(of: latin)?.description == "the string isn't UTF-8 at byte 5")
    _ = refusal(of: Data("{\"é\":1,\"e\u{301}\":2}".utf8))
  }

  @Test("JSON holds values up to the maximum depth and no deeper")
  func levels() throws {
    func nested(_ levels: Int) -> Value {
      (1..<levels).reduce(1) { value, _ in [value] }
    }
    let format = Defaults.JSONFormat()
    let deepest = nested(Value.maximumDepth)
    #expect(try format.decode(try format.encode(["x": deepest])) == ["x": deepest])
    let date: Value = (1..<Value.maximumDepth).reduce(.date(.distantPast)) { value, _ in [value] }
    #expect(try format.decode(try format.encode(["x": date])) == ["x": date])
    #expect(throws: Defaults.ConversionError.self) { try format.encode(["x": [deepest]]) }
    func empty(_ levels: Int) -> Data {
      let arrays = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
      return Data("{\"x\":\(arrays)}".utf8)
    }
    #expect(try format.decode(empty(Value.maximumDepth)).count == 1)
    #expect(
      refusal(of: empty(Value.maximumDepth + 1))?.reason == "there are more than 256 levels")
    for opening in ["[", #"{"a":"#] {
      let text = #"{"x":"# + String(repeating: opening, count: 1_000_000)
      #expect(refusal(of: Data(text.utf8))?.reason == "there are more than 256 levels")
    }
  }
}
