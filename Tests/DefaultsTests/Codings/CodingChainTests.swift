import Defaults
import Foundation
import FuzzInputs
import TestSupport
import Testing

@Suite("Coding chains")
struct CodingChainTests {
  private struct User: Codable, Hashable {
    var name = "Zoë"
    var age = 5
  }

  private enum Level: Int { case low = 1, high }

  private struct Reversal: Defaults.Bridge {
    func serialize(_ value: Data?) -> Data? { value.map { Data($0.reversed()) } }
    func deserialize(_ object: Data?) -> Data? { object.map { Data($0.reversed()) } }
  }

  private static let json = #"{"age":5,"name":"Zoë"}"#

  @Test("JSON is stored as text or data, and each coding reads both")
  func json() {
    expect(.json, User(), isStoredAs: .string(Self.json))
    expect(.json, User(), isStoredAs: .string(Self.json))
    expect(.jsonData, User(), isStoredAs: .data(Data(Self.json.utf8)))
    expect(Defaults.Coding<User>.json, reads: .data(Data(Self.json.utf8)), as: User())
    expect(Defaults.Coding<User>.jsonData, reads: .string(Self.json), as: User())
    expect(
      Defaults.Coding<User>.jsonData, refuses: #"{"age":5}"#, "the field \"name\" is missing")
    expect(Defaults.Coding<User>.json, refuses: 5, "it is an integer, and JSON text was expected")
  }

  @Test("Each step of a coding chain gets the result of the previous step")
  func steps() {
    let base64 = Data(Self.json.utf8).base64EncodedString()
    expect(.json.base64, User(), isStoredAs: .string(base64))
    expect(.json.base64.utf8, User(), isStoredAs: .data(Data(base64.utf8)))
    expect(
      .json.base64.utf8.base64, User(),
      isStoredAs: .string(Data(base64.utf8).base64EncodedString()))
    expect(.json.then(.base64), User(), isStoredAs: .string(base64))
    expect(.base64, Data([1, 2, 3]), isStoredAs: "AQID")
    expect(.base64, Data(), isStoredAs: "")
    expect(.base64.utf8, Data([1, 2, 3]), isStoredAs: .data(Data("AQID".utf8)))
    expect(.utf8, "Zoë", isStoredAs: .data(Data("Zoë".utf8)))
    expect(.utf8.base64, "a\0b", isStoredAs: "YQBi")
    expect(.rawValue, Level.high, isStoredAs: 2)
    expect(.rawValue.then(.text), Level.high, isStoredAs: "2")
    expect(.propertyList.then(.standard), User(), isStoredAs: ["name": "Zoë", "age": 5])
  }

  @Test("A custom bridge can be a step anywhere in a coding chain")
  func bridges() {
    expect(.json.then(Reversal()), User(), isStoredAs: .data(Data(Self.json.utf8.reversed())))
    expect(.bridge(Reversal()), Data([1, 2]), isStoredAs: .data(Data([2, 1])))
    expect(.bridge(Reversal()).base64, Data([1, 2]), isStoredAs: "AgE=")
    expect(
      .json.then(Reversal()).then(Reversal()), User(), isStoredAs: .data(Data(Self.json.utf8)))
    expect(
      .json.then(Reversal()).base64, User(),
      isStoredAs: .string(Data(Self.json.utf8.reversed()).base64EncodedString()))
    let chain = Defaults.CodingChain(Reversal())
    expect(chain.coding, Data([1, 2]), isStoredAs: .data(Data([2, 1])))
  }

  @Test("The error of any step in a coding chain keeps its path")
  func errors() {
    let coding: Defaults.Coding<[User]> = .json.base64
    let bad = Data(#"[{"age":5,"name":"a"},{"age":"x","name":"b"}]"#.utf8)
    do throws(Defaults.ConversionError) {
      _ = try coding.value(ofEntry: .string(bad.base64EncodedString()))
      Issue.record("The value was read")
    } catch {
      #expect(error.path == ["[1]", "age"])
    }
    expect(coding, refuses: "*", "the text isn't base 64")
    expect(coding, refuses: "AQI", "the text isn't base 64")
    expect(coding, refuses: 5, "it is an integer, and a string was expected")
    expect(
      Defaults.Coding<String>.utf8, refuses: .data(Data([0xFF])),
      "the data isn't text in UTF-8")
  }

  @Test("An archive coding stores data")
  func archives() throws {
    let note = Note("a", count: 1, ratio: 0.5)
    let coding = Defaults.Coding<Note>.archive
    let stored = try #require(try coding.edit(for: note).entry)
    #expect(try coding.value(ofEntry: stored) == note)
    guard case .data = stored else {
      Issue.record("The form isn't data")
      return
    }
    // Equal objects can have archives with different bytes, so compare the decoded objects.
    let text: Defaults.Coding<Note> = .archive.base64
    guard case .string(let base64)? = try text.edit(for: note).entry else {
      Issue.record("The form isn't text")
      return
    }
    #expect(try coding.value(ofEntry: .data(#require(Data(base64Encoded: base64)))) == note)
    #expect(try text.value(ofEntry: .string(base64)) == note)
  }

  @Test("A coding chain may begin with text")
  func textFirst() {
    expect(.text.utf8, 5, isStoredAs: .data(Data("5".utf8)))
  }

  @Test("Container codings apply the element coding to each element")
  func containers() {
    let day = Date(timeIntervalSinceReferenceDate: 0)
    let text: Defaults.PropertyListValue = "2001-01-01T00:00:00Z"
    expect(.array(of: .iso8601), [day, day], isStoredAs: [text, text])
    expect(.set(of: .iso8601), [day], isStoredAs: [text])
    expect(.dictionary(of: .iso8601), ["a": day], isStoredAs: ["a": text])
    expect(.dictionary(of: .array(of: .iso8601)), [5: [day]], isStoredAs: ["5": [text]])
    expect(.array(of: .optional(.iso8601)), [day, nil], isStoredAs: [[text], []])
    expect(.array(of: .optional(.json.base64)), [User?.none], isStoredAs: [[]])
    expect(.array(of: .standard), [1, 2], isStoredAs: [1, 2])
    expect(
      .dictionary(of: .array(of: .json)), ["a": [User()]], isStoredAs: ["a": [.string(Self.json)]])
    expect(.json, [User()], isStoredAs: .string("[\(Self.json)]"))
    expect(
      Defaults.Coding<[String: [Date]]>.dictionary(of: .array(of: .iso8601)),
      refuses: ["a": [text, "x"]],
      "a.[1]: \"x\" isn't a date, time and offset such as \"2026-11-21T08:30:00Z\"")
  }

  @Test("An optional coding removes an entry for nil and stores an array inside a container")
  func optionals() throws {
    let coding: Defaults.Coding<Date?> = .optional(.iso8601)
    #expect(try coding.edit(for: nil) == .remove)
    #expect(coding.canRemove)
    #expect(try coding.encode(nil) == [])
    let nested: Defaults.Coding<Date??> = .optional(coding)
    #expect(try nested.edit(for: .some(.none)) == .set([]))
    #expect(try nested.edit(for: .none) == .remove)
    #expect(try nested.value(ofEntry: []) == .some(.none))
    // Arrays that were stored without this coding and don't have its form.
    let any = Defaults.Coding<Defaults.PropertyListValue>.custom(encode: { $0 }, decode: { $0 })
    let explicit = Defaults.Coding<Defaults.PropertyListValue?>.storingNil(any)
    expect(explicit, reads: [[1], [2]], as: [[1], [2]])
    expect(explicit, [3], isStoredAs: [[3]])
  }

  @Test("A coding with older forms reads them and writes the new form")
  func reading() throws {
    let day = Date(timeIntervalSinceReferenceDate: 5)
    let coding = Defaults.Coding<Date>.iso8601.reading(
      .timeInterval, .custom(encode: { "\($0)" }, decode: { $0 == "day five" ? day : nil }))
    expect(coding, day, isStoredAs: "2001-01-01T00:00:05Z")
    expect(coding, reads: 5, as: day)
    expect(coding, reads: "day five", as: day)
    expect(coding, reads: .date(day), as: day)
    expect(
      coding, refuses: true,
      #"it is a bool, and a date in ISO 8601 was expected; in JSON, write "2026-01-01T00:00:00Z"; "#
        + "no older form matches either "
        + "(it is a bool, and a number was expected; it is a bool, and a string was expected)")
    expect(.array(of: coding), reads: [5, "2001-01-01T00:00:05Z"], as: [day, day])
    expect(
      .array(of: .optional(coding).reading(.standard)), [day, nil],
      isStoredAs: [
        ["2001-01-01T00:00:05Z"], [],
      ])
    let optional: Defaults.Coding<Date?> = .optional(.iso8601).reading(.optional(.timeInterval))
    #expect(try optional.edit(for: nil) == .remove)
    expect(optional, reads: 5, as: day)
    expect(
      .json.base64.reading(.json, .propertyList), User(),
      isStoredAs: .string(
        Data(Self.json.utf8).base64EncodedString()))
    expect(
      Defaults.Coding<User>.json.base64.reading(.json, .propertyList),
      reads: ["name": "a", "age": 1], as: User(name: "a", age: 1))
  }

  @Test("A custom coding's closures reject a value by nil or by throwing")
  func closures() {
    struct Odd: Error, CustomStringConvertible { let description = "the number is odd" }
    let half = Defaults.Coding<Int>.custom(
      encode: { number in
        guard number.isMultiple(of: 2) else { throw Odd() }
        return number == 0 ? nil : "\(number / 2)"
      },
      decode: { text in
        if text == "odd" { throw Odd() }
        return Int(text).map { $0 * 2 }
      })
    expect(half, 4, isStoredAs: "2")
    expect(half, refusesToWrite: 3, "the number is odd")
    expect(half, refusesToWrite: 0, "the coding can't make a String of this Int")
    expect(half, refuses: "x", "the value isn't in the accepted form")
    expect(half, refuses: "odd", "the number is odd")
    expect(half, refuses: 5, "it is an integer, and a string was expected")
    expect(
      .custom(encode: { (number: Int) in "\(number)" }, decode: { Int($0) }).utf8, 5,
      isStoredAs: .data(Data("5".utf8)))
  }
}
