extension Defaults {
  /// The two words that stand for a `Bool` in text.
  ///
  /// ```swift
  /// Key("sound", default: true, coding: .text(.yesNo.uppercased))   // YES, NO
  /// Key("sound", default: true, coding: .text(.init("on", "off")))
  /// ```
  public struct BoolWords: Sendable, Hashable {
    /// What stands for `true`.
    public var yes: String
    /// What stands for `false`.
    public var no: String

    /// Words of your own, for `true` and for `false`; they must differ.
    public init(_ yes: String, _ no: String) {
      // Not a precondition, which traps without its sentence in an optimized build.
      guard yes != no else { fatalError("\"\(yes)\" can't stand for both true and false") }
      self.yes = yes
      self.no = no
    }

    /// "true" and "false".
    public static let trueFalse = Self("true", "false")
    /// "yes" and "no".
    public static let yesNo = Self("yes", "no")
    /// "on" and "off".
    public static let onOff = Self("on", "off")

    /// The same words in capitals.
    public var uppercased: Self { Self(yes.uppercased(), no.uppercased()) }
    /// The same words in small letters.
    public var lowercased: Self { Self(yes.lowercased(), no.lowercased()) }
    /// The same words, each with a capital first.
    public var capitalized: Self {
      Self(Self.capitalize(yes), Self.capitalize(no))
    }

    private static func capitalize(_ word: String) -> String {
      word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }

    /// What a word stands for: exactly, else in any letter case; nil if it's neither, or both.
    fileprivate func value(of word: String) -> Bool? {
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

  /// Stores a `Bool` as one of two words.
  ///
  /// Reads these in any letter case; then true and false, yes and no, on and off, 1 and 0, be they
  /// text; bools, and the numbers 0 and 1. Everything else is refused.
  public struct BoolTextBridge: PropertyListBridge {
    /// The words that are written.
    public let words: BoolWords

    /// A bridge that writes these words.
    public init(_ words: BoolWords) { self.words = words }

    /// A string; never throws.
    public func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue {
      .string(value ? words.yes : words.no)
    }

    /// The bool that a word or number stands for.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
      guard case .string(let word) = stored else { return try Bool.bridge.decode(stored) }
      for words in [words, .trueFalse, .yesNo, .onOff, BoolWords("1", "0")] {
        if let value = words.value(of: word) { return value }
      }
      throw ConversionError(
        "\"\(word)\" is neither \"\(words.yes)\" nor \"\(words.no)\", nor another word for either")
    }
  }

  /// Stores a `Bool` as the integer 1 or 0; reads what ``BoolBridge`` reads.
  public struct BoolIntegerBridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// An integer; never throws.
    public func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue {
      .integer(value ? 1 : 0)
    }

    /// The bool, or whether a 0 or 1 is 1.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
      try Bool.bridge.decode(stored)
    }
  }
}

extension Defaults.Coding where Value == Bool {
  /// 1 or 0.
  public static var integer: Self { Self(Defaults.BoolIntegerBridge()) }

  /// "true" or "false"; see `BoolTextBridge` for what is read.
  public static var text: Self { text(.trueFalse) }

  /// Either of two words; see `BoolTextBridge` for what is read.
  public static func text(_ words: Defaults.BoolWords) -> Self {
    Self(Defaults.BoolTextBridge(words))
  }
}
