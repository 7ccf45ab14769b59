import DefaultsTesting
import Foundation
import Testing

@testable import Defaults

@Suite("Stored form of values in UserDefaults on Linux")
struct UserDefaultsFormTests {
  /// Values that XML loses, and the text that replaces each.
  private static let replaced: [(value: Defaults.PropertyListValue, text: String)] = [
    (.date(Date(timeIntervalSince1970: 1_763_730_224.25)), #"{"$date":"2025-11-21T13:03:44.25Z"}"#),
    (.date(Date(timeIntervalSinceReferenceDate: 1e300)), #"{"$date":"1e+300"}"#),
    (.date(Date(timeIntervalSinceReferenceDate: .nan)), #"{"$date":"nan"}"#),
    (-0.0, "-0.0"),
    (.real(Double(bitPattern: 0x7ff8_0000_0000_0001)), ##"{"$real":"0x7ff8000000000001"}"##),
    ("a\rb", #""a\rb""#), ("a\r\nb", #""a\r\nb""#), ("a\u{0}b", #""a\u0000b""#),
    ("\u{1b}[1m", #""\u001b[1m""#), ("\u{fffe}\u{ffff}", #""\ufffe\uffff""#),
    ("\u{feff}x", "\"\u{feff}x\""),
    ("Defaults.exact:1", #""Defaults.exact:1""#),
    (["CF$UID": 1], #"{"CF$UID":1}"#),
    (["a\r": 1, "b": 2], #"{"a\r":1,"b":2}"#),
  ]

  @Test(
    "A value that XML can't hold exactly is stored as text and read back exactly",
    arguments: replaced.indices)
  func replacedValues(index: Int) throws {
    let (value, text) = Self.replaced[index]
    let stored = UserDefaultsForm.stored(value)
    #expect(stored == .string("Defaults.exact:" + text))
    #expect(UserDefaultsForm.value(ofStored: stored) == value)
    // As an element, only this value is replaced.
    let nested: Defaults.PropertyListValue = ["list": [value, "x", 1]]
    #expect(UserDefaultsForm.stored(nested) == ["list": [stored, "x", 1]])
    #expect(UserDefaultsForm.value(ofStored: UserDefaultsForm.stored(nested)) == nested)
  }

  private static let plain: [Defaults.PropertyListValue] = [
    .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), .date(.distantPast), "line\nline\t",
    "", " x ", "<&>", "\u{85}\u{7f}", "Defaults.exac", "Defaults:exact:1", 0.0, .real(.nan),
    .real(.infinity), .unsignedInteger(.max), .data(Data([0, 1])), true, [], [:], ["a": [1, "b"]],
  ]

  @Test("A value that XML holds is stored unchanged in UserDefaults", arguments: plain)
  func plainValues(value: Defaults.PropertyListValue) {
    #expect(UserDefaultsForm.stored(value) == value)
    #expect(UserDefaultsForm.value(ofStored: value) == value)
  }

  @Test("Each test value of the suite requirements has a form that XML holds")
  func everyValue() throws {
    for value in ExactValue.all {
      let stored = UserDefaultsForm.stored(value.entry)
      let name = UserDefaultsForm.stored(name: value.name)
      let data = try Defaults.PropertyListFormat.xml.encode([name: stored])
      let read = try Defaults.PropertyListFormat.decode(data).entries
      #expect(UserDefaultsForm.value(ofStored: try #require(read[name])) == value.entry)
    }
  }

  @Test("Every character is read back from XML, in text and in a name")
  func everyCharacter() throws {
    var entries: [String: Defaults.PropertyListValue] = [:]
    for code in Array(UInt32(0)...0x2ff) + Array(0xfdc0...0xffff) {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let text = "\(scalar)a\(scalar)b\(scalar)"
      entries[UserDefaultsForm.stored(name: text)] = UserDefaultsForm.stored(.string(text))
    }
    let data = try Defaults.PropertyListFormat.xml.encode(entries)
    let read = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    let all = try #require(read)
    #expect(all.count == entries.count)
    for (name, object) in all {
      let value = try FoundationPropertyList.value(of: object)
      let text = UserDefaultsForm.name(ofStored: name)
      #expect(UserDefaultsForm.value(ofStored: value) == .string(text))
      #expect(entries[name] == value)
    }
  }

  @Test(
    "Another program's text with the prefix `Defaults.exact:` but an invalid rest stays text",
    arguments: [
      "Defaults.exact:", "Defaults.exact:x", #"Defaults.exact:"plain""#, "Defaults.exact:1",
      "Defaults.exact: -0.0", #"Defaults.exact:{"$date":"2025-11-21T13:03:44Z"}"#,
      #"Defaults.exact:["a\rb"]"#, "Defaults.exact:-0.0 ",
    ])
  func otherText(text: String) {
    #expect(UserDefaultsForm.value(ofStored: .string(text)) == .string(text))
    #expect(UserDefaultsForm.name(ofStored: text) == text)
    // Stored by a suite, it is read back, too.
    let stored = UserDefaultsForm.stored(.string(text))
    #expect(UserDefaultsForm.value(ofStored: stored) == .string(text))
  }

  @Test("The stored form of the deepest value isn't deeper than the value")
  func depth() {
    let limit = Defaults.PropertyListValue.maximumDepth
    let deep = (1..<limit).reduce("a\rb" as Defaults.PropertyListValue) { value, _ in [value] }
    let stored = UserDefaultsForm.stored(deep)
    #expect(!stored.isDeeper(than: limit))
    #expect(UserDefaultsForm.value(ofStored: stored) == deep)
  }
}
