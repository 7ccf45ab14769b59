import Defaults
import DefaultsCompression
import Foundation
import Testing

// The samples of the schema library's description for value coding, written for this library: an
// attribute with a coding is a key with one. Types needn't be named with their codings, and a
// coding of an optional's value is enough. LZFSE is zlib here, which every platform has.

private let samples = Defaults.MemorySuite(label: "samples of codings")

private enum Fruit: String { case apple, banana, orange }

private struct Device: Codable, Equatable {
  var name: String
  var manufacturer: String
}

private struct MyType: Equatable {
  var value: String

  init?(value: String) {
    guard !value.isEmpty else { return nil }
    self.value = value
  }
}

// Type defining coding logic
private struct MyTypeBridge: Defaults.Bridge {
  func serialize(_ value: MyType?) -> Data? { value.map { Data($0.value.utf8) } }
  func deserialize(_ object: Data?) -> MyType? {
    object.flatMap { String(data: $0, encoding: .utf8) }.flatMap { MyType(value: $0) }
  }
}

// Static constructor (for syntactic sugar / convenience)
extension Defaults.Coding where Value == MyType {
  fileprivate static var myType: Self { .bridge(MyTypeBridge()) }
}

private struct CodedType: Codable, Equatable {
  var id: Int
  var name: String
}

extension Defaults.Keys {
  // Binary integer types stored as an integer. All but the widest are stored so by default.
  fileprivate static let uIntAsInt = Key<UInt?>("uIntAsInt", coding: .integer, suite: samples)
  fileprivate static let int8AsInt = Key<Int8?>("int8AsInt", coding: .integer, suite: samples)
  fileprivate static let uInt8AsInt = Key<UInt8?>("uInt8AsInt", coding: .integer, suite: samples)
  fileprivate static let int16AsInt = Key<Int16?>("int16AsInt", coding: .integer, suite: samples)
  fileprivate static let uInt16AsInt = Key<UInt16?>(
    "uInt16AsInt", coding: .integer, suite: samples)
  fileprivate static let int32AsInt = Key<Int32?>("int32AsInt", coding: .integer, suite: samples)
  fileprivate static let uInt32AsInt = Key<UInt32?>(
    "uInt32AsInt", coding: .integer, suite: samples)
  fileprivate static let int64AsInt = Key<Int64?>("int64AsInt", coding: .integer, suite: samples)
  fileprivate static let uInt64AsInt = Key<UInt64?>(
    "uInt64AsInt", coding: .integer, suite: samples)

  // Fixed-width integer types stored as text.
  fileprivate static let intAsText = Key<Int?>("intAsText", coding: .text, suite: samples)
  fileprivate static let uIntAsText = Key<UInt?>("uIntAsText", coding: .text, suite: samples)
  fileprivate static let int8AsText = Key<Int8?>("int8AsText", coding: .text, suite: samples)
  fileprivate static let uInt8AsText = Key<UInt8?>("uInt8AsText", coding: .text, suite: samples)
  fileprivate static let int16AsText = Key<Int16?>("int16AsText", coding: .text, suite: samples)
  fileprivate static let uInt16AsText = Key<UInt16?>("uInt16AsText", coding: .text, suite: samples)
  fileprivate static let int32AsText = Key<Int32?>("int32AsText", coding: .text, suite: samples)
  fileprivate static let uInt32AsText = Key<UInt32?>("uInt32AsText", coding: .text, suite: samples)
  fileprivate static let int64AsText = Key<Int64?>("int64AsText", coding: .text, suite: samples)
  fileprivate static let uInt64AsText = Key<UInt64?>("uInt64AsText", coding: .text, suite: samples)

  // Bools, dates, URLs.
  fileprivate static let boolAsInt = Key<Bool?>("boolAsInt", coding: .integer, suite: samples)
  fileprivate static let boolAsText = Key<Bool?>(
    "boolAsText", coding: .text(true: "true", false: "false"), suite: samples)
  fileprivate static let date = Key<Date?>("date", coding: .iso8601, suite: samples)
  fileprivate static let url = Key<URL?>("url", coding: .text, suite: samples)

  // Raw values.
  fileprivate static let fruit = Key<Fruit?>("fruit", coding: .rawValue, suite: samples)
  fileprivate static let fruits = Key<[Fruit]?>(
    "fruits", coding: .array(of: .rawValue), suite: samples)
  fileprivate static let namedFruits = Key<[String: Fruit]?>(
    "namedFruits", coding: .dictionary(of: .rawValue), suite: samples)

  // Codable values as data and as text, by element and as a whole.
  fileprivate static let jsonData = Key<Device?>(
    "jsonData", coding: .jsonData, suite: samples)
  fileprivate static let jsonText = Key<Device?>("jsonText", coding: .json, suite: samples)
  fileprivate static let jsonDataArray = Key<[Device]?>(
    "jsonDataArray", coding: .array(of: .jsonData), suite: samples)
  fileprivate static let jsonTextArray = Key<[Device]?>(
    "jsonTextArray", coding: .array(of: .json), suite: samples)
  fileprivate static let arrayAsData = Key<[Device]?>(
    "arrayAsData", coding: .jsonData, suite: samples)
  fileprivate static let arrayAsText = Key<[Device]?>(
    "arrayAsText", coding: .json, suite: samples)
  fileprivate static let jsonDataDictionary = Key<[String: Device]?>(
    "jsonDataDictionary", coding: .dictionary(of: .jsonData), suite: samples)
  fileprivate static let jsonTextDictionary = Key<[String: Device]?>(
    "jsonTextDictionary", coding: .dictionary(of: .json), suite: samples)

  // Custom coding: inline, as a bridge, by a static name.
  fileprivate static let inline = Key<MyType?>(
    "inline", coding: .custom(encode: { $0.value }, decode: { MyType(value: $0) }), suite: samples)
  fileprivate static let bridged = Key<MyType?>(
    "bridged", coding: .bridge(MyTypeBridge()), suite: samples)
  fileprivate static let named = Key<MyType?>("named", coding: .myType, suite: samples)

  // Coding chains.
  fileprivate static let chained = Key<CodedType?>(
    "chained", coding: .json.compressed.base64, suite: samples)
}

@Suite("Samples of PrefsKit: codings")
struct CodingSamples {
  private typealias Keys = Defaults.Keys

  /// Sets a value, and expects this entry and the value again.
  private func check<V: Equatable>(
    _ key: Defaults.Key<V?>, _ value: V, _ stored: Defaults.PropertyListValue,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(samples[key] == nil, sourceLocation: sourceLocation)
    samples[key] = value
    #expect(samples.entries[key.name] == stored, sourceLocation: sourceLocation)
    #expect(samples[key] == value, sourceLocation: sourceLocation)
    samples[key] = nil
    #expect(samples.entries[key.name] == nil, sourceLocation: sourceLocation)
  }

  @Test("Sample: integers of every width are stored as integers and as text")
  func integers() {
    check(.uIntAsInt, .max, .unsignedInteger(.max))
    check(.int8AsInt, .min, -128)
    check(.uInt8AsInt, .max, 255)
    check(.int16AsInt, .min, -32_768)
    check(.uInt16AsInt, .max, 65_535)
    check(.int32AsInt, .min, -2_147_483_648)
    check(.uInt32AsInt, .max, 4_294_967_295)
    check(.int64AsInt, .min, .integer(.min))
    check(.uInt64AsInt, .max, .unsignedInteger(.max))
    check(.intAsText, -5, "-5")
    check(.uIntAsText, 5, "5")
    check(.int8AsText, -128, "-128")
    check(.uInt8AsText, 255, "255")
    check(.int16AsText, -32_768, "-32768")
    check(.uInt16AsText, 65_535, "65535")
    check(.int32AsText, .min, "-2147483648")
    check(.uInt32AsText, .max, "4294967295")
    check(.int64AsText, .min, "-9223372036854775808")
    check(.uInt64AsText, .max, "18446744073709551615")
  }

  @Test("Sample: bools, dates and URLs are stored by their codings")
  func basics() throws {
    check(.boolAsInt, true, 1)
    check(.boolAsText, true, "true")
    check(.date, Date(timeIntervalSinceReferenceDate: 0.5), "2001-01-01T00:00:00.5Z")
    check(.url, try #require(URL(string: "https://example.com")), "https://example.com")
  }

  @Test("Sample: raw values are stored, single and in collections")
  func rawValues() {
    check(.fruit, .banana, "banana")
    check(.fruits, [.banana, .apple], ["banana", "apple"])
    check(.namedFruits, ["a": .orange], ["a": "orange"])
  }

  @Test("Sample: Codable values are stored as JSON, by element and as a whole")
  func codables() {
    let device = Device(name: "a", manufacturer: "b")
    let json = #"{"manufacturer":"b","name":"a"}"#
    let data = Defaults.PropertyListValue.data(Data(json.utf8))
    let text = Defaults.PropertyListValue.string(json)
    check(.jsonData, device, data)
    check(.jsonText, device, text)
    check(.jsonDataArray, [device, device], [data, data])
    check(.jsonTextArray, [device, device], [text, text])
    check(.arrayAsData, [device], .data(Data("[\(json)]".utf8)))
    check(.arrayAsText, [device], .string("[\(json)]"))
    check(.jsonDataDictionary, ["a": device], ["a": data])
    check(.jsonTextDictionary, ["a": device], ["a": text])
  }

  @Test("Sample: a custom coding is declared inline, as a bridge or by name")
  func custom() throws {
    let value = try #require(MyType(value: "abc"))
    check(.inline, value, "abc")
    check(.bridged, value, .data(Data("abc".utf8)))
    check(.named, value, .data(Data("abc".utf8)))
  }

  @Test("Sample: values are stored and read through coding chains")
  func chains() throws {
    let value = CodedType(id: 1, name: "a")
    samples[.chained] = value
    #expect(samples[.chained] == value)
    guard case .string(let text)? = samples.entries["chained"] else {
      Issue.record("The form isn't text")
      return
    }
    // A zlib stream begins with 0x78.
    #expect(Data(base64Encoded: text)?.first == 0x78)
    samples[.chained] = nil
  }
}
