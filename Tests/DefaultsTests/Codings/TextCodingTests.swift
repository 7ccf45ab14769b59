import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Codings of numbers, bools and URLs as text or integers", .prompt)
struct TextCodingTests {
  private func checkInteger<I: FixedWidthInteger & Defaults.Serializable>(_ type: I.Type) {
    for value in [I.min, 0, 1, 42, I.max] {
      expect(.text, value, isStoredAs: .string("\(value)"))
    }
    expect(Defaults.Coding<I>.text, reads: 5, as: 5)
    expect(Defaults.Coding<I>.text, refuses: "5.5", "\"5.5\" isn't in the accepted form")
    expect(Defaults.Coding<I>.text, refuses: "", "\"\" isn't in the accepted form")
    expect(
      Defaults.Coding<I>.text, refuses: .string("1\(String(repeating: "0", count: 50))"),
      "\"1\(String(repeating: "0", count: 50))\" isn't in the accepted form")
    expect(Defaults.Coding<I>.integer, 42, isStoredAs: 42)
    expect(
      Defaults.Coding<I>.integer, refuses: "42", "it is a string, and an integer was expected")
    expect(Defaults.Coding<I>.integer.reading(.text), reads: "42", as: 42)
  }

  @Test("An integer of any width can be stored as text or as an integer")
  func integers() {
    checkInteger(Int.self)
    checkInteger(Int8.self)
    checkInteger(Int16.self)
    checkInteger(Int32.self)
    checkInteger(Int64.self)
    checkInteger(Int128.self)
    checkInteger(UInt.self)
    checkInteger(UInt8.self)
    checkInteger(UInt16.self)
    checkInteger(UInt32.self)
    checkInteger(UInt64.self)
    checkInteger(UInt128.self)
    expect(.integer, Int8.min, isStoredAs: -128)
    expect(.integer, UInt64.max, isStoredAs: .unsignedInteger(.max))
    expect(
      Defaults.Coding<UInt8>.integer, refuses: 256, "256 isn't exactly representable as UInt8")
    expect(
      .integer, refusesToWrite: Int128.max,
      "\(Int128.max) isn't exactly representable as an integer of 64 bits")
  }

  @Test("A floating-point number is stored as exact text, or rejected if no text is exact")
  func reals() throws {
    for value in [0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity] {
      let stored = try Defaults.Coding<Double>.text.edit(for: value)
      #expect(stored == .set(.string("\(value)")))
      let copy = try Defaults.Coding<Double>.text.value(ofEntry: .string("\(value)"))
      #expect(copy.bitPattern == value.bitPattern)
    }
    expect(.text, Float(0.1), isStoredAs: "0.1")
    expect(
      .text, refusesToWrite: Double(nan: 5, signaling: false),
      "the Double can't be read back from its text \"nan\"")
    expect(Defaults.Coding<Double>.text, reads: 0.5, as: 0.5)
    expect(Defaults.Coding<Double>.text, refuses: "0.5 m", "\"0.5 m\" isn't in the accepted form")
  }

  @Test("A character is stored as its text, and text of no or several characters is rejected")
  func characters() {
    for character: Character in ["a", "👩‍👩‍👧‍👦", " "] {
      expect(.text, character, isStoredAs: .string("\(character)"))
    }
    for text in ["", "ab"] {
      expect(
        Defaults.Coding<Character>.text, refuses: .string(text),
        "\"\(text)\" isn't in the accepted form")
    }
  }

  @Test("White space around text is ignored for numbers and bools, and kept for strings")
  func whiteSpace() {
    expect(Defaults.Coding<Int>.text, reads: " 42\n", as: 42)
    expect(Defaults.Coding<UInt8>.text, reads: "\t7", as: 7)
    expect(Defaults.Coding<Int128>.text, reads: " -1 ", as: -1)
    expect(Defaults.Coding<Double>.text, reads: " 0.5 ", as: 0.5)
    expect(Defaults.Coding<Float>.text, reads: "0.5 ", as: 0.5)
    expect(Defaults.Coding<Bool>.text, reads: " true\n", as: true)
    expect(Defaults.Coding<Bool>.text(true: "Ja", false: "Nein"), reads: " nein ", as: false)
    expect(Defaults.Coding<String>.text, reads: " x ", as: " x ")
    expect(Defaults.Coding<Int>.text, refuses: "4 2", "\"4 2\" isn't in the accepted form")
    // Custom words may have white space in them.
    expect(Defaults.Coding<Bool>.text(true: " on", false: "on "), reads: " on", as: true)
    expect(Defaults.Coding<Bool>.text(true: " on", false: "on "), reads: "on ", as: false)
  }

  @Test("A bool can be stored as an integer, and every integer above 0 is read as true")
  func boolAsInteger() {
    expect(.integer, true, isStoredAs: 1)
    expect(.integer, false, isStoredAs: 0)
    expect(Defaults.Coding<Bool>.integer, reads: true, as: true)
    for (number, value) in [
      (2, true), (-1, false), (.integer(.max), true), (.integer(.min), false),
    ]
      as [(Defaults.PropertyListValue, Bool)]
    {
      expect(Defaults.Coding<Bool>.integer, reads: number, as: value)
    }
    expect(Defaults.Coding<Bool>.integer, reads: .unsignedInteger(.max), as: true)
    expect(
      Defaults.Coding<Bool>.integer, refuses: 2.0, "2.0 isn't exactly representable as a bool")
    expect(
      Defaults.Coding<Bool>.integer, refuses: "1", "it is a string, and a bool was expected")
  }

  @Test("A bool can be stored as one of two words, which are read in either letter case")
  func boolAsText() {
    expect(.text, true, isStoredAs: "true")
    expect(.text, false, isStoredAs: "false")
    expect(.text(true: "True", false: "False"), true, isStoredAs: "True")
    expect(.text(true: "YES", false: "NO"), false, isStoredAs: "NO")
    expect(.text(true: "on", false: "off"), true, isStoredAs: "on")
    expect(.text(true: "Ja", false: "Nein"), false, isStoredAs: "Nein")
    expect(.text(true: "ja", false: "nein"), true, isStoredAs: "ja")
  }

  @Test(
    "The text coding of a bool reads common words, numbers and bools",
    arguments: [
      ("ja", true), ("NEIN", false), ("true", true), ("FALSE", false), ("Yes", true), ("no", false),
      ("On", true), ("off", false), ("1", true), ("0", false), (true, true), (0, false),
      (1.0, true),
    ] as [(Defaults.PropertyListValue, Bool)])
  func tolerance(stored: Defaults.PropertyListValue, value: Bool) {
    expect(.text(true: "Ja", false: "Nein"), reads: stored, as: value)
  }

  @Test("Text that doesn't represent a bool is rejected")
  func boolRefusals() {
    let coding = Defaults.Coding<Bool>.text
    expect(
      coding, refuses: "maybe",
      "\"maybe\" is neither \"true\" nor \"false\", nor another word for either")
    expect(
      coding, refuses: "",
      "\"\" is neither \"true\" nor \"false\", nor another word for either")
    expect(coding, refuses: 2, "2 isn't exactly representable as a bool")
    expect(coding, refuses: ["true"], "it is an array, and a bool was expected")
  }

  @Test("Custom words for a bool precede the common ones and may differ only in case")
  func ownWords() {
    let inverse = Defaults.Coding<Bool>.text(true: "no", false: "yes")
    expect(inverse, true, isStoredAs: "no")
    expect(inverse, reads: "NO", as: true)
    let cases = Defaults.Coding<Bool>.text(true: "x", false: "X")
    expect(cases, true, isStoredAs: "x")
    expect(cases, false, isStoredAs: "X")
  }

  @Test("One custom word for both true and false traps with a message")
  func sameWords() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Coding<Bool>.text(true: "same", false: "same")
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("\"same\" can't stand for both true and false"))
  }

  @Test("The text coding stores a URL as one string")
  func urls() throws {
    let url = try #require(URL(string: "https://example.com/a?b=c#d"))
    expect(.text, url, isStoredAs: "https://example.com/a?b=c#d")
    expect(.text.utf8, url, isStoredAs: .data(Data("https://example.com/a?b=c#d".utf8)))
    let relative = try #require(URL(string: "a", relativeTo: url))
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<URL>.text.edit(for: relative)
    }
    expect(Defaults.Coding<URL>.text, refuses: "a b", "\"a b\" isn't a URL")
    expect(
      Defaults.Coding<URL>.text, refuses: 5,
      "it is an integer, and the string of a URL was expected")
  }
}

/// The bridge of a character as a string.
public struct CharacterBridge: Defaults.Bridge {
  /// Returns the character as a string.
  public func serialize(_ value: Character?) -> String? { value.map { String($0) } }
  /// Returns the first character.
  public func deserialize(_ object: String?) -> Character? { object?.first }
}

extension Character: Defaults.Serializable {
  /// Stores a character as a string.
  public static let bridge = CharacterBridge()
}
