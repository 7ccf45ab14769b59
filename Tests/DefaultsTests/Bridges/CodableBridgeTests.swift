import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The bridge of Codable types")
struct CodableBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  struct User: Codable, Hashable, Defaults.Serializable {
    var name = "Hello"
    var age = 24
    var friends: [User] = []
  }

  struct Everything: Codable, Hashable, Defaults.Serializable {
    var double = -0.0
    var tiny = Double.leastNonzeroMagnitude
    var infinite = -Double.infinity
    var float: Float = 0.1
    var large = UInt64.max
    var date = Date(timeIntervalSinceReferenceDate: 0.1234567890123)
    var data = Data([0, 255])
    var text = "a\0\u{1}\"/\\\u{2028}🦄\u{E9}e\u{301}"
    var decimal = Decimal(string: "123456789012345678901234567890.12345678")
    var absent: Int?
    var url = URL(string: "http://a/b?c=d")
    var wide = Int128.min
  }

  final class Chain: Codable, Defaults.Serializable {
    let next: Chain?
    init(_ next: Chain?) { self.next = next }
  }

  @Test("A Codable value is stored as JSON text with sorted keys")
  func text() throws {
    let user = User(friends: [User(name: "/", age: 1)])
    let json = #"{"age":24,"friends":[{"age":1,"friends":[],"name":"/"}],"name":"Hello"}"#
    #expect(try Stored(encoding: user) == .string(json))
    #expect(try roundTrip(user) == user)
    #expect(try roundTrip([[user], []]) == [[user], []])
    #expect(try Stored.data(Data(json.utf8)).decoded(as: User.self) == user)
  }

  @Test("Codable members of every type are read back exactly")
  func members() throws {
    let copy = try roundTrip(Everything())
    #expect(copy == Everything())
    #expect(copy.double.sign == .minus)
    #expect(Array(copy.text.utf8) == Array(Everything().text.utf8))
  }

  @Test("JSON stores the NaN of a number or a date, and rejects the NaN of a Decimal")
  func notANumber() throws {
    let bridge = Defaults.Coding<[Double]>.json
    #expect(try bridge.encode([.nan, .infinity]) == #"["nan","inf"]"#)
    #expect(try bridge.decode(bridge.encode([.nan]))[0].isNaN)
    let dates = Defaults.Coding<Date>.json
    let date = try dates.decode(dates.encode(Date(timeIntervalSinceReferenceDate: .nan)))
    #expect(date.timeIntervalSinceReferenceDate.isNaN)
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<[Decimal]>.json.encode([.nan])
    }
    let strings = Defaults.Coding<[String]>.json
    #expect(try strings.decode(strings.encode(["NaN"])) == ["NaN"])
  }

  @Test("A collection that was one JSON text is read after its elements became Serializable")
  func formerCollection() {
    struct Point: Codable, Equatable { var x = 1 }
    struct Place: Codable, Equatable, Defaults.Serializable { var x = 1 }
    let suite = Defaults.MemorySuite { _ in }
    suite[Defaults.Key("all", default: [Point](), suite: suite)] = [Point(x: 2)]
    let key = Defaults.Key(
      "all", default: [Place](), coding: .standard.reading(.json), suite: suite)
    #expect(suite[key] == [Place(x: 2)])
    suite[key] = [Place(x: 3)]
    #expect(suite[key] == [Place(x: 3)])
    #expect(suite.entry(named: "all") == ["{\"x\":3}"])
  }

  @Test("A raw-value type that became Codable still reads its raw values")
  func formerRawValues() {
    enum Theme: String, Codable, Defaults.Serializable { case light, dark }
    enum Level: Int, Codable, Defaults.Serializable { case low, high }
    let suite = Defaults.MemorySuite([
      "theme": "dark", "themes": ["dark", "light"], "level": 1, "other": "blue",
    ]) { _ in }
    let theme = Defaults.Key("theme", default: Theme.light, suite: suite)
    #expect(suite[theme] == .dark)
    suite[theme] = .light
    #expect(suite.entry(named: "theme") == "\"light\"")
    #expect(suite[theme] == .light)
    #expect(suite[Defaults.Key<[Theme]>("themes", default: [], suite: suite)] == [.dark, .light])
    #expect(suite[Defaults.Key("level", default: Level.low, suite: suite)] == .high)
    #expect(throws: Defaults.SuiteError.self) {
      try suite.value(for: Defaults.Key("other", default: Theme.light, suite: suite))
    }
  }

  @Test("A Codable value that isn't a collection is stored as a JSON fragment")
  func fragments() throws {
    #expect(try Defaults.Coding<Int>.json.encode(5) == "5")
    #expect(try Defaults.Coding<String>.json.decode(#""x""#) == "x")
    let optional = Defaults.Coding<Int?>.json
    #expect(try optional.encode(nil) == "null")
    #expect(try optional.decode("null") == nil)
  }

  @Test("The JSON bridge composes with container bridges and needs no Serializable")
  func composition() throws {
    struct Point: Codable, Equatable { var x = 1 }
    let bridge = Defaults.Coding<[Point]?>.optional(.array(of: .json))
    #expect(try bridge.edit(for: [Point()]) == .set([#"{"x":1}"#]))
    #expect(try bridge.edit(for: nil) == .remove)
    #expect(try bridge.value(ofEntry: [#"{"x":2}"#]) == [Point(x: 2)])
  }

  @Test("A JSON decoding error has the reason and the path")
  func errors() throws {
    expectRefusal(
      User.self, #"{"age":1,"friends":[{"age":1,"friends":[]}],"name":""}"#,
      "friends.[0]: the field \"name\" is missing")
    let type = #expect(throws: Defaults.ConversionError.self) {
      try Stored(#"{"age":"x","friends":[],"name":""}"#).decoded(as: User.self)
    }
    #expect(type?.path == ["age"])
    #expect(type?.reason.contains("found a string instead") == true)
    let number = #expect(throws: Defaults.ConversionError.self) {
      try Stored(#"{"age":5.5,"friends":[],"name":""}"#).decoded(as: User.self)
    }
    #expect(number?.reason.hasPrefix("the text isn't JSON, or a number in it doesn't fit") == true)
    expectRefusal(User.self, 5, "it is an integer, and JSON text was expected")
    for text in ["", " ", "{", "{}x", "nul", "[1", "\u{0}"] {
      let error = #expect(throws: Defaults.ConversionError.self) {
        try Stored.string(text).decoded(as: User.self)
      }
      #expect(error?.reason.hasPrefix("the text isn't JSON, or a number") == true)
    }
  }

  @Test("An error that a Codable type throws becomes the reason of the conversion error")
  func ownErrors() {
    struct Refusing: Codable, Defaults.Serializable {
      struct Refusal: Error, CustomStringConvertible { var description: String { "not today" } }
      init() {}
      init(from decoder: any Decoder) throws { throw Refusal() }
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    #expect(throws: Defaults.ConversionError("not today")) { try Stored(encoding: Refusing()) }
    expectRefusal(Refusing.self, "{}", "not today")
  }

  @Test("A Codable value nested too deep to be read is rejected when it is written")
  func depth() throws {
    func chain(_ count: Int) -> Chain {
      (1..<count).reduce(Chain(nil)) { chain, _ in Chain(chain) }
    }
    #expect(try roundTrip(chain(500)).next?.next != nil)
    #expect(throws: Defaults.ConversionError.self) { try Stored(encoding: chain(600)) }
  }

  @Test(
    "Hostile JSON text is rejected with an error",
    arguments: [
      LongText(repeating: "[", count: 1_000_000),
      LongText(repeating: #"{"next":"#, count: 300_000),
      #"{"next":1e99999}"#, #"{"next":"\ud800"}"#, "{\"next\":\"\u{0}\"}",
      LongText("1e" + String(repeating: "9", count: 100_000)),
    ])
  func hostileText(_ text: LongText) {
    #expect(throws: Defaults.ConversionError.self) {
      try Stored.string(text.value).decoded(as: Chain.self)
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Stored.string(text.value).decoded(as: Everything.self)
    }
  }
}
