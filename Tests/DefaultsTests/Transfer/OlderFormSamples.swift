import Defaults
import Foundation
import Testing

/// A row of the table of older forms: an entry as an older library stored it, and its value.
struct OlderForm: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let stored: Defaults.PropertyListValue
  /// Whether a key of the type reads the value from the entry, by an import and in place.
  let isImported: @Sendable (UserDefaults, _ domain: String) throws -> Bool
  let isReadInPlace: @Sendable (UserDefaults) -> Bool

  init<Value: Defaults.Serializable & Equatable>(
    _ stored: Defaults.PropertyListValue, _ value: Value, fallback: Value
  ) {
    testDescription = "\(Value.self) of \(stored)"
    self.stored = stored
    isImported = { userDefaults, domain in
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("x", default: fallback, suite: suite)
      let report = try suite.importUserDefaults(.keys(key), from: userDefaults, domain: domain)
      return report.taken == ["x"] && suite[key] == value
    }
    isReadInPlace = { userDefaults in
      let suite = Defaults.UserDefaultsSuite(userDefaults)
      let key = Defaults.Key("x", default: fallback, coding: .readingOlderForms, suite: suite)
      guard Defaults[key] == value else { return false }
      // A written value must be read back, too.
      Defaults[key] = fallback
      guard Defaults[key] == fallback else { return false }
      Defaults[key] = value
      return Defaults[key] == value
    }
  }
}

struct OldUser: Codable, Hashable, Defaults.Serializable {
  var name = ""
  var age = 0
}

struct OldNote: Codable, Hashable, Defaults.Serializable {
  var data = Data([1, 2])
  var date: Date
}

enum OldDuration: String, Codable, Defaults.Serializable {
  case tenMinutes = "10 Minutes"
  case oneHour = "1 Hour"
}

enum OldMime: String, Defaults.Serializable {
  case json = "application/json"
  case stream = "application/octet-stream"
}

enum OldLevel: Int, Defaults.Serializable {
  case low = 1
  case high = 2
}

/// Stored as another type, which is itself Codable.
struct OldPlace: Hashable, Defaults.Serializable {
  var url: URL?

  struct Bridge: Defaults.Bridge {
    func serialize(_ value: OldPlace?) -> [String: URL]? {
      value.map { $0.url.map { ["url": $0] } ?? [:] }
    }
    func deserialize(_ object: [String: URL]?) -> OldPlace? {
      object.map { OldPlace(url: $0["url"]) }
    }
  }
  static let bridge = Bridge()
}

extension OlderForm {
  private static let url = URL(filePath: "/x/a")
  private static let date = Date(timeIntervalSinceReferenceDate: 86_400)
  private static let fraction = Date(timeIntervalSinceReferenceDate: -0.5)
  private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  /// Property list types: stored unchanged by every version.
  static let plain: [OlderForm] = [
    .init(true, true, fallback: false),
    .init(1, true, fallback: false),
    .init(5, 5, fallback: 0),
    .init(0.5, 0.5, fallback: 0),
    .init(.real(0.10000000149011612), Float(0.1), fallback: 0),
    .init("x", "x", fallback: ""),
    .init(#""x""#, #""x""#, fallback: ""),
    .init(.date(date), date, fallback: .distantPast),
    .init(.data(Data([1, 2])), Data([1, 2]), fallback: Data()),
    .init(5, UInt8(5), fallback: 0),
    .init(["a", "b"], ["a", "b"], fallback: []),
    .init([#""a""#], [#""a""#], fallback: []),
    .init(["a": 1], ["a": 1], fallback: [:]),
    .init([["a": [#""x""#]]], [["a": [#""x""#]]], fallback: []),
    .init([1, 2], [1, 2] as [Int?], fallback: []),
    .init([1, 2], Set([1, 2]), fallback: []),
    .init([["a": [["b": 1]]]], [["a": Set([["b": 1]])]], fallback: []),
    .init([1, 5], 1..<5, fallback: 0..<1),
    .init([.date(date), .date(date)], date...date, fallback: .distantPast...date),
    .init(121_314, Defaults.AnySerializable(121_314), fallback: 0),
    .init(["a": [1, "x"]], ["a": [1, "x"]] as [String: Defaults.AnySerializable], fallback: [:]),
  ]

  /// Converted types, versions 4 to 9: JSON text in place of each value.
  static let converted: [OlderForm] = [
    .init(#""file:\/\/\/x\/a""#, url, fallback: URL(filePath: "/")),
    .init(#""file:\/\/\/x\/a""#, url as URL?, fallback: nil),
    .init([#""file:\/\/\/x\/a""#], [url], fallback: []),
    .init([#""file:\/\/\/x\/a""#], Set([url]), fallback: []),
    .init(["a": #""file:\/\/\/x\/a""#], ["a": url], fallback: [:]),
    .init(["a": [#""file:\/\/\/x\/a""#]], ["a": [url]], fallback: [:]),
    .init("01020304-0506-0708-090A-0B0C0D0E0F10", uuid, fallback: UUID()),
    .init(["01020304-0506-0708-090A-0B0C0D0E0F10"], [uuid], fallback: []),
    .init(
      #"{"name":"Hello","age":24}"#, OldUser(name: "Hello", age: 24), fallback: OldUser()),
    .init([#"{"name":"a","age":1}"#], [OldUser(name: "a", age: 1)], fallback: []),
    .init(["u": #"{"name":"a","age":1}"#], ["u": OldUser(name: "a", age: 1)], fallback: [:]),
    .init(#""10 Minutes""#, OldDuration.tenMinutes, fallback: .oneHour),
    .init([#""10 Minutes""#], [OldDuration.tenMinutes], fallback: []),
    .init("application/json", OldMime.json, fallback: .stream),
    .init(["application/json"], [OldMime.json], fallback: []),
    .init(["a": "application/json"], ["a": OldMime.json], fallback: [:]),
    .init(2, OldLevel.high, fallback: .low),
    .init([#""file:\/\/\/x\/a""#], Bag([url]), fallback: Bag([])),
    .init([#""x""#], Bag([#""x""#]), fallback: Bag([])),
    .init([#""file:\/\/\/x\/a""#], SetBag(Set([url])), fallback: SetBag()),
    .init(["url": #""file:\/\/\/x\/a""#], OldPlace(url: url), fallback: OldPlace()),
    .init([["url": #""file:\/\/\/x\/a""#]], [OldPlace(url: url)], fallback: []),
  ]

  /// Dictionaries with keys that aren't strings: JSON text of every value, also of plain ones.
  static let keyed: [OlderForm] = [
    .init(["1": "2"], [1: 2], fallback: [:]),
    .init(["1": #""x""#], [1: "x"], fallback: [:]),
    .init(["1": #""x""#], [1: "x"] as [Int: String?], fallback: [:]),
    .init(["1": #""a \"b\" \/ ü\n""#], [1: "a \"b\" / ü\n"], fallback: [:]),
    .init(["1": "true"], [1: true], fallback: [:]),
    .init(["1": "0.1"], [1: Float(0.1)], fallback: [:]),
    .init(["1": "86400"], [1: date], fallback: [:]),
    .init(["1": #""AQI=""#], [1: Data([1, 2])], fallback: [:]),
    .init(["1": #""file:\/\/\/x\/a""#], [1: url], fallback: [:]),
    .init(["1": [#""x""#]], [1: ["x"]], fallback: [:]),
    .init(["1": ["a": #""x""#]], [1: ["a": "x"]], fallback: [:]),
    .init(["1": ["x"]], [1: Set(["x"])], fallback: [:]),
    .init(["1": ["2": #""x""#]], [1: [2: "x"]], fallback: [:]),
    .init([["1": #""x""#]], [[1: "x"]], fallback: []),
    .init(["a": ["1": #""x""#]], ["a": [1: "x"]], fallback: [:]),
    .init(["1": "application/json"], [1: OldMime.json], fallback: [:]),
    .init(["1": #"{"name":"a","age":1}"#], [1: OldUser(name: "a", age: 1)], fallback: [:]),
  ]

  /// Versions up to 3: JSON text of the whole value, except for property list types.
  static let oldest: [OlderForm] = [
    .init(#"["a","b"]"#, ["a", "b"], fallback: []),
    .init("[1,2]", Set([1, 2]), fallback: []),
    .init(#"{"a":1}"#, ["a": 1], fallback: [:]),
    .init(#"{"1":"x"}"#, [1: "x"], fallback: [:]),
    .init(#"["file:\/\/\/x\/a"]"#, [url], fallback: []),
    .init("[86400]", [date], fallback: []),
    .init("[1,5]", 1...5, fallback: 0...1),
    .init("0.5", CGFloat(0.5), fallback: 0),
    .init("5", UInt(5), fallback: 0),
    .init("18446744073709551615", UInt64.max, fallback: 0),
    .init(#""01020304-0506-0708-090A-0B0C0D0E0F10""#, uuid, fallback: UUID()),
    .init(#""AQI=""#, Data([1, 2]), fallback: Data()),
  ]

  /// Custom collections as JSON text of the whole, versions up to 3. Data inside is base 64, and a
  /// date is a number of seconds.
  static let ownCollections: [OlderForm] = [
    .init(#"["AQI=","Aw=="]"#, Bag([Data([1, 2]), Data([3])]), fallback: Bag([])),
    .init(#"["AQI="]"#, Bag([Data([1, 2])]) as Bag<Data>?, fallback: nil),
    .init("[86400,-0.5]", Bag([date, fraction]), fallback: Bag([])),
    .init(#"["AQI="]"#, SetBag(Set([Data([1, 2])])), fallback: SetBag()),
    .init("[86400]", SetBag(Set([date])), fallback: SetBag()),
    .init(#"[["AQI="],[]]"#, [Bag([Data([1, 2])]), Bag([])], fallback: []),
    .init(#"[["AQI="]]"#, Bag([Bag([Data([1, 2])])]), fallback: Bag([])),
    .init(#"[["AQI=","Aw=="]]"#, Bag([[Data([1, 2]), Data([3])]]), fallback: Bag([])),
    .init(#"{"a":[86400]}"#, ["a": Bag([date])], fallback: [:]),
    .init(#"{"1":[86400]}"#, [1: Bag([date])], fallback: [:]),
    .init(#"[{"a":"AQI="}]"#, Bag([["a": Data([1, 2])]]), fallback: Bag([])),
    .init("[[0,86400]]", Bag([Date(timeIntervalSinceReferenceDate: 0)...date]), fallback: Bag([])),
    .init(#"[{"name":"a","age":1}]"#, Bag([OldUser(name: "a", age: 1)]), fallback: Bag([])),
    .init(#"[{"data":"AQI=","date":86400}]"#, Bag([OldNote(date: date)]), fallback: Bag([])),
    .init(
      "[9007199254740993,-9223372036854775808]", Bag([9_007_199_254_740_993, Int.min]),
      fallback: Bag([])),
    .init("[18446744073709551615]", Bag([UInt64.max]), fallback: Bag([])),
    .init(#"["x","86400"]"#, Bag(["x", "86400"]), fallback: Bag([])),
    .init("[true]", Bag([true]), fallback: Bag([])),
  ]

  /// Types that became Codable later, or were Codable when they were stored.
  static let changed: [OlderForm] = [
    .init(#"["application\/json"]"#, [OldMime.json], fallback: []),
    .init(#"{"a":2}"#, ["a": OldLevel.high], fallback: [:]),
    .init(#"{"url":"file:\/\/\/x\/a"}"#, OldPlace(url: url), fallback: OldPlace()),
    .init(#"[{"url":"file:\/\/\/x\/a"}]"#, Set([OldPlace(url: url)]), fallback: []),
    .init(#""application\/json""#, OldMime.json, fallback: .stream),
    .init([#""application\/json""#], [OldMime.json], fallback: []),
    .init("2", OldLevel.high, fallback: .low),
    .init("10 Minutes", OldDuration.tenMinutes, fallback: .oneHour),
    .init(["a": "10 Minutes"], ["a": OldDuration.tenMinutes], fallback: [:]),
  ]
}

extension Bag: Equatable where Element: Equatable {
  static func == (left: Self, right: Self) -> Bool { left.items == right.items }
}
