import Defaults
import Foundation
import Testing

@Suite("Property list values")
struct PropertyListValueTests {
  @Test("An integer and an unsigned integer are equal if they represent the same number")
  func integersCompareByNumber() {
    #expect(Defaults.PropertyListValue.integer(5) == .unsignedInteger(5))
    #expect(Defaults.PropertyListValue.integer(-1) != .unsignedInteger(.max))
  }

  @Test("Texts, names and data that differ only slightly have different hashes")
  func hashes() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    for (one, other) in [
      (.string(composed), .string(decomposed)), ([composed: 1], [decomposed: 1]),
      ([.string(composed)], [.string(decomposed)]), (["ab", "c"], ["a", "bc"]),
      (.data(Data(count: 100)), .data(Data(count: 99) + [1])),
    ] as [(Defaults.PropertyListValue, Defaults.PropertyListValue)] {
      #expect(one.hashValue != other.hashValue)
    }
    #expect(
      (["a": 1, "b": 2] as Defaults.PropertyListValue).hashValue
        == (["b": .unsignedInteger(2), "a": 1] as Defaults.PropertyListValue).hashValue)
  }

  @Test("Every date has a description, even NaN")
  func dates() {
    let none = Defaults.PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .nan))
    #expect(none.description == "nan")
    #expect(
      Defaults.PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 0.5)).description
        == "2001-01-01T00:00:00.5Z")
  }

  @Test(
    "A value is encoded to JSON under the name of its case, like a compiler-generated enum",
    arguments: [
      (true, #"{"bool":{"_0":true}}"#), (-5, #"{"integer":{"_0":-5}}"#),
      (.unsignedInteger(.max), #"{"unsignedInteger":{"_0":18446744073709551615}}"#),
      (0.5, #"{"real":{"_0":0.5}}"#), ("é", #"{"string":{"_0":"é"}}"#),
      (
        .date(Date(timeIntervalSinceReferenceDate: 0.25)), #"{"date":{"_0":0.25}}"#
      ),
      (.data(Data([1, 255])), #"{"data":{"_0":"Af8="}}"#),
      ([1, 1.5], #"{"array":{"_0":[{"integer":{"_0":1}},{"real":{"_0":1.5}}]}}"#),
      (["a": []], #"{"dictionary":{"_0":{"a":{"array":{"_0":[]}}}}}"#),
    ] as [(Defaults.PropertyListValue, String)])
  func json(value: Defaults.PropertyListValue, text: String) throws {
    #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
    let decoded = try JSONDecoder().decode(
      Defaults.PropertyListValue.self, from: Data(text.utf8))
    #expect(decoded == value)
  }

  @Test(
    "A value in JSON without the name of exactly one case is rejected",
    arguments: [
      "{}", "5", #"{"number":{"_0":5}}"#, #"{"integer":5}"#, #"{"integer":{}}"#,
      #"{"integer":{"_0":1},"real":{"_0":1}}"#, #"{"integer":{"_0":1.5}}"#,
    ])
  func foreignJSON(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Defaults.PropertyListValue.self, from: Data(text.utf8))
    }
  }

  @Test("A value in JSON may have unknown fields, like a compiler-generated enum")
  func unknownFields() throws {
    let text = #"{"integer":{"_0":5,"more":1},"since":1}"#
    let decoded = try JSONDecoder().decode(Defaults.PropertyListValue.self, from: Data(text.utf8))
    #expect(decoded == 5)
  }
}
