import Foundation

struct TextBridge<
  Value: LosslessStringConvertible & Defaults.Serializable
>: Defaults.PropertyListBridge {
  var shape: Defaults.Shape {
    let shape = Value.bridge.shape
    return switch shape {
    case .integer: .either(.string(.wholeNumber), or: [shape])
    case .string(.text): .text
    // A number may be written as text in several ways.
    default: .either(.converted(.text), or: [shape])
    }
  }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    let text = value.description
    guard let copy = Value(anyText: text),
      try Value.bridge.encode(copy) == Value.bridge.encode(value)
    else {
      throw ConversionError(
        "the \(Value.self) can't be read back from its text \"\(text)\"")
    }
    return .string(text)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    guard case .string(let text) = stored else { return try Value.bridge.decode(stored) }
    if let value = Value(anyText: text) { return value }
    // White space around a number is ignored.
    if Value.self is any Numeric.Type, let value = Value(text.withoutOuterSpace) { return value }
    throw ConversionError("\"\(text)\" isn't in the accepted form")
  }
}

extension Defaults.Coding where Value: LosslessStringConvertible & Defaults.Serializable {
  /// The value's description: a number as its digits.
  ///
  /// Writing rejects a value whose text doesn't give the same bits back, such as a NaN with a
  /// payload. Reading accepts such a text as a whole, and the forms that the type's own bridge
  /// reads. White space around a number is ignored.
  public static var text: Self { Self(TextBridge()) }
}

extension Defaults.CodingStart where Value: LosslessStringConvertible & Defaults.Serializable {
  /// The value's text, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var text: Defaults.CodingChain<Value, String> {
    Defaults.CodingChain(Defaults.Coding(TextBridge()))
  }
}

extension Defaults.Coding where Value: FixedWidthInteger & Sendable {
  /// An integer; a value with more than 64 bits is rejected.
  public static var integer: Self { Self(Defaults.IntegerBridge()) }
}

extension Defaults.Coding where Value == URL {
  /// The string of an absolute `URL`; a URL with a base is rejected.
  public static var text: Self { Self(URLBridge(allowsBase: false)) }
}

extension Defaults.CodingStart where Value == URL {
  /// The URL's string, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var text: Defaults.CodingChain<URL, String> {
    Defaults.CodingChain(Defaults.Coding(URLBridge(allowsBase: false)))
  }
}

/// The bridge of a `Bool` as one of two words.
struct BoolTextBridge: Defaults.PropertyListBridge {
  let yes: String
  let no: String

  var shape: Defaults.Shape {
    let others = Self.others.flatMap { [$0.yes, $0.no] }
    return .either(.string(.words([yes, no])), or: [.string(.words(others)), .bool])
  }

  private static let others = [
    Self("true", "false"), Self("yes", "no"), Self("on", "off"), Self("1", "0"),
  ]

  init(_ yes: String, _ no: String) {
    // `fatalError`, because an optimized build drops the message of a precondition.
    guard yes != no else { fatalError("\"\(escaped(yes))\" can't stand for both true and false") }
    self.yes = yes
    self.no = no
  }

  func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue {
    .string(value ? yes : no)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
    guard case .string(let word) = stored else { return try Bool.bridge.decode(stored) }
    for words in [self] + Self.others {
      if let value = words.value(of: word) ?? words.value(of: word.withoutOuterSpace) {
        return value
      }
    }
    throw ConversionError(
      "\"\(word)\" is neither \"\(yes)\" nor \"\(no)\", nor another word for either")
  }

  /// Returns the value of a word, compared exactly or else in any case; nil if it is neither word
  /// or both words.
  private func value(of word: String) -> Bool? {
    if word == yes { return true }
    if word == no { return false }
    let folded = word.lowercased()
    switch (folded == yes.lowercased(), folded == no.lowercased()) {
    case (true, false): return true
    case (false, true): return false
    default: return nil
    }
  }
}

struct BoolIntegerBridge: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .bit }

  func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue {
    .integer(value ? 1 : 0)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
    switch stored {
    case .integer(let number): number >= 1
    case .unsignedInteger(let number): number >= 1
    default: try Bool.bridge.decode(stored)
    }
  }
}

extension Defaults.Coding where Value == Bool {
  /// The integer 1 or 0.
  ///
  /// Reads any integer: 1 and above as `true`, 0 and below as `false`. Also reads the values that a
  /// `Bool` reads without a coding.
  public static var integer: Self { Self(BoolIntegerBridge()) }

  /// "true" or "false"; see ``text(true:false:)`` for the words that are read.
  public static var text: Self { text(true: "true", false: "false") }

  /// One of two words.
  ///
  /// ```swift
  /// Key("sound", default: true, coding: .text(true: "YES", false: "NO"))
  /// ```
  ///
  /// Reads these words, and true/false, yes/no, on/off and 1/0, in any letter case; the words given
  /// here take precedence. Also reads bools, and the numbers 0 and 1. White space around a word is
  /// ignored. Everything else is rejected.
  ///
  /// - Precondition: The words differ.
  public static func text(true yes: String, false no: String) -> Self {
    Self(BoolTextBridge(yes, no))
  }
}
