import Defaults
import DefaultsText

extension Defaults {
  /// The arguments of a command, as a source of settings.
  ///
  /// A setting is given as `--volume=7`, `--volume 7` or, as for `UserDefaults`, `-volume 7`; the
  /// last occurrence is used. A bool is true with `--sound` alone, and false with `--no-sound`. The
  /// word after a name is the value's text, unless that word begins with a dash and isn't a number:
  /// write `--title=--draft` for such a text. Arguments after `--` are ignored.
  ///
  /// ```swift
  /// let suite = try Defaults.LayeredSuite(.arguments, .writable(.standard))
  /// let files = try Defaults.Arguments.ofProcess.rest(declaring: Settings.keys)
  /// ```
  public struct Arguments: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The arguments, without the name of the command.
    public let words: [String]

    /// Creates arguments from words, without the name of the command.
    public init(_ words: [String]) { self.words = words }

    /// Creates arguments from words, without the name of the command.
    public init(arrayLiteral words: String...) { self.init(words) }

    /// The arguments of the process. Empty in a privileged (setuid) program.
    public static var ofProcess: Arguments { Arguments(ProcessInput.current.arguments) }
  }
}

extension Defaults.Arguments: Defaults.LayerSource {
  /// The label `arguments`.
  public var label: String { "arguments" }

  /// Returns the texts of the settings among the arguments.
  public func load() -> Defaults.LayerContent {
    .texts { key in options(of: key).last?.text }
  }
}

extension Defaults.Arguments {
  /// Returns the arguments that belong to none of the keys: operands, the program's own options,
  /// and all arguments after `--`, without the `--` itself.
  ///
  /// - Parameter keys: The keys of all settings.
  public func rest(declaring keys: [Defaults.AnyKey]) -> [String] {
    let taken = Set(keys.flatMap { options(of: $0).flatMap(\.positions) })
    return words.indices.filter { $0 != end && !taken.contains($0) }.map { words[$0] }
  }

  /// Returns the options that belong to none of the keys, in their order, each with the name that
  /// was probably meant.
  public func unknownOptions(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownName] {
    let taken = Set(keys.flatMap { options(of: $0).flatMap(\.positions) })
    return words.indices.filter { $0 < end && !taken.contains($0) && isOption(words[$0]) }.map {
      let dashes = words[$0].prefix { $0 == "-" }
      let name = words[$0].dropFirst(dashes.count).prefix { $0 != "=" }
      let nearest = NearestName.of(String(name), in: keys.map(\.name))
      return Defaults.UnknownName(
        name: "\(dashes)\(name)", nearest: nearest.map { "--\($0)" })
    }
  }

  /// An occurrence of a setting among the arguments.
  private struct Option {
    let text: Defaults.LayerText
    /// The words that belong to it.
    let positions: ClosedRange<Int>
  }

  /// The end of the options.
  private var end: Int { words.firstIndex(of: "--") ?? words.endIndex }

  /// The occurrences of a setting, by its current name or a previous one.
  private func options(of key: Defaults.AnyKey) -> [Option] {
    let end = end
    var found: [Option] = []
    var index = 0
    while index < end {
      if let option = option(at: index, of: key, end: end) {
        found.append(option)
        index = option.positions.upperBound
      }
      index += 1
    }
    return found
  }

  /// The occurrence that begins with a word; nil if the word isn't an option of the setting.
  private func option(at index: Int, of key: Defaults.AnyKey, end: Int) -> Option? {
    let word = words[index]
    guard isOption(word) else { return nil }
    func option(_ text: String, through last: Int, problem: String? = nil) -> Option {
      let text = Defaults.LayerText(text, at: "argument \(index + 1)", invalidBecause: problem)
      return Option(text: text, positions: index...last)
    }
    let takesBool = key.takesBool
    for name in key.allNames {
      // Compares bytes, since an accent that combines with the equals sign belongs to the text.
      let start = "--\(name)=".utf8
      if word.utf8.starts(with: start) {
        return option(String(Substring(word.utf8.dropFirst(start.count))), through: index)
      }
      if takesBool, word == "--no-\(name)" { return option("false", through: index) }
      guard word == "--\(name)" || word == "-\(name)" else { continue }
      if index + 1 < end, case let next = words[index + 1], !isOption(next),
        !takesBool || Defaults.AnyKey.isBool(next)
      {
        return option(next, through: index + 1)
      }
      if takesBool { return option("true", through: index) }
      return option("", through: index, problem: "The option needs a value: \(word)=VALUE")
    }
    return nil
  }

  /// Whether a word is the name of an option: it begins with a dash and isn't a number.
  private func isOption(_ word: String) -> Bool {
    guard word.count > 1, word.hasPrefix("-") else { return false }
    return Double(word) == nil || !word.contains(where: \.isNumber)
  }
}
