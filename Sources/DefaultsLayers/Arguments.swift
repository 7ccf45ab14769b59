import Defaults
import DefaultsText

extension Defaults {
  /// The arguments of a command, of which settings take theirs.
  ///
  /// A setting is given as `--volume=7`, `--volume 7` or, as `UserDefaults` takes it, `-volume 7`;
  /// the last one counts. A bool is also on by `--sound` alone, and off by `--no-sound`. The word
  /// behind a name is its text unless that begins with a dash and is no number: write
  /// `--title=--draft` for such a text. What comes after `--` is left alone.
  ///
  /// ```swift
  /// let suite = try Defaults.LayeredSuite(.arguments, .writable(.standard))
  /// let files = try Defaults.Arguments.ofProcess.rest(declaring: Settings.keys)
  /// ```
  public struct Arguments: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The arguments, without the name of the command.
    public let words: [String]

    /// Arguments, without the name of the command.
    public init(_ words: [String]) { self.words = words }

    /// Arguments, without the name of the command.
    public init(arrayLiteral words: String...) { self.init(words) }

    /// Those of the process. None where it has rights that whoever started it hasn't.
    public static var ofProcess: Arguments { Arguments(ProcessInput.current.arguments) }
  }
}

extension Defaults.Arguments: Defaults.LayerSource {
  /// `arguments`.
  public var label: String { "arguments" }

  /// The texts of the settings among them.
  public func load() -> Defaults.LayerContent {
    .texts { key in options(of: key).last?.text }
  }
}

extension Defaults.Arguments {
  /// What is none of these settings: operands, options of the program's own, and all after `--`,
  /// which is left out itself.
  public func rest(declaring keys: [Defaults.AnyKey]) -> [String] {
    let taken = Set(keys.flatMap { options(of: $0).flatMap(\.positions) })
    return words.indices.filter { $0 != end && !taken.contains($0) }.map { words[$0] }
  }

  /// The options that are none of these settings, in their order, each with the name that may have
  /// been meant.
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

  /// A setting among the arguments.
  private struct Option {
    let text: Defaults.LayerText
    /// Which words it takes.
    let positions: ClosedRange<Int>
  }

  /// Where the options end.
  private var end: Int { words.firstIndex(of: "--") ?? words.endIndex }

  /// The options of a setting, under its present name or an earlier one.
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

  /// The option that begins with a word, if it is one of the setting.
  private func option(at index: Int, of key: Defaults.AnyKey, end: Int) -> Option? {
    let word = words[index]
    guard isOption(word) else { return nil }
    func option(_ text: String, through last: Int, problem: String? = nil) -> Option {
      let text = Defaults.LayerText(text, at: "argument \(index + 1)", invalidBecause: problem)
      return Option(text: text, positions: index...last)
    }
    let takesBool = key.takesBool
    for name in key.allNames {
      // By bytes: a mark that combines with the sign of equality belongs to the text.
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
      return option("", through: index, problem: "It needs a value: \(word)=VALUE")
    }
    return nil
  }

  /// Whether a word is the name of an option: it begins with a dash, and is no number.
  private func isOption(_ word: String) -> Bool {
    guard word.count > 1, word.hasPrefix("-") else { return false }
    return Double(word) == nil || !word.contains(where: \.isNumber)
  }
}
