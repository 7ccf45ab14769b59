import Defaults
import Foundation
import TestSupport
import Testing

private enum Season: String, Defaults.Serializable { case spring, summer }

private struct Unknown {}

@Suite("Values of types known only at run time")
struct RuntimeValueTests {
  typealias Value = Defaults.PropertyListValue

  let issues = Log<Defaults.Issue>()

  @Test("Numbers, bools and NSNumbers are converted exactly and keep their types")
  func numbers() throws {
    let values: [(Any, Value)] = [
      (true, .bool(true)), (1, .integer(1)), (UInt8(200), .integer(200)),
      (UInt64.max, .unsignedInteger(.max)), (1.5, .real(1.5)),
      (Float(0.1), .real(Double(Float(0.1)))),
      (-0.0, .real(-0.0)), (CGFloat(2), .real(2)), (NSNumber(value: true), .bool(true)),
      (NSNumber(value: 1), .integer(1)), (NSNumber(value: 1.0), .real(1)),
      (NSNumber(value: UInt64.max), .unsignedInteger(.max)),
      (NSNumber(value: Int8(-3)), .integer(-3)),
      (NSDecimalNumber(string: "0.5"), .real(0.5)), (NSDecimalNumber(string: "7"), .integer(7)),
    ]
    for (value, expected) in values {
      #expect(try Value(converting: value) == expected, "\(type(of: value))")
    }
  }

  @Test("Strings, dates, data, URLs, collections and types with a bridge are converted")
  func others() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0.5)
    let url = try #require(URL(string: "https://example.org/a"))
    let values: [(Any, Value)] = [
      ("a", "a"), (NSString("a"), "a"), (date, .date(date)), (Data([1]), .data(Data([1]))),
      (url, "https://example.org/a"), (Season.spring, "spring"), (Optional(5) as Any, 5),
      ([1, "a", [true]] as [Any], [1, "a", [true]]), (NSArray(array: [1, "a"]), [1, "a"]),
      (["a": 1, "b": ["c": date]] as [String: Any], ["a": 1, "b": ["c": .date(date)]]),
      ([Season.summer], ["summer"]), (Value.integer(3), 3),
    ]
    for (value, expected) in values {
      #expect(try Value(converting: value) == expected, "\(type(of: value))")
    }
  }

  @Test("Converting a value that can't be stored throws the reason and the invalid part's path")
  func rejected() {
    let values: [(Any, String)] = [
      (Unknown(), "a Unknown can't be stored"), (Optional<Int>.none as Any, "nil can't be stored"),
      (NSNull(), "NSNull can't be stored"), ([1, Unknown()] as [Any], "[1]: a Unknown"),
      (["a": ["b": Unknown()]] as [String: Any], "a.b: a Unknown"),
      (NSDecimalNumber(string: "0.12345678901234567890123"), "isn't exactly representable"),
      ([1: Unknown()], "isn't a string"),
    ]
    for (value, sentence) in values {
      let error = #expect(throws: Defaults.ConversionError.self) { try Value(converting: value) }
      #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }
  }

  @Test("A setter by name accepts values of any type and reports those that can't be stored")
  func setters() {
    let suite = Defaults.MemorySuite { [issues] in issues.append($0) }
    suite.set(["volume": 7, "home": URL(filePath: "/")] as [String: Any], forKey: "all")
    suite.set(NSNumber(value: false), forKey: "isOn")
    suite.set([1, "a"] as [Any], forKey: "list")
    suite.set(Data([1]), forKey: "data")
    #expect(suite.entry(named: "isOn") == false)
    #expect(suite.entry(named: "list") == [1, "a"])
    #expect((suite.dictionary(forKey: "all")?["volume"] as? Int) == 7)
    #expect(issues.count == 0)
    suite.set(Unknown() as Any, forKey: "isOn")
    #expect(issues.codes == [.unencodable])
    #expect(suite.entry(named: "isOn") == false)
    suite.set(nil, forKey: "isOn")
    #expect(!suite.contains("isOn"))
  }

  @Test("Registered defaults accept values of any type and report those that can't be stored")
  func defaults() throws {
    let home = try #require(URL(string: "https://example.org"))
    let suite = Defaults.MemorySuite { [issues] in issues.append($0) }
    let values: [String: Any] = [
      "volume": 7, "ratio": NSNumber(value: 0.5), "since": Date(timeIntervalSince1970: 0),
      "home": home, "broken": Unknown(),
    ]
    suite.register(defaults: values)
    #expect(suite.integer(forKey: "volume") == 7)
    #expect(suite.double(forKey: "ratio") == 0.5)
    #expect(suite.url(forKey: "home")?.host() == "example.org")
    #expect(suite.object(forKey: "broken") == nil)
    #expect(issues.codes == [.unencodable])
    #expect(issues.last?.key == "broken")
  }
}
