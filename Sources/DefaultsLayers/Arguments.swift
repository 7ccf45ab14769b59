import Defaults
import DefaultsText

extension Defaults {
  /// The arguments of a command, of which settings take theirs.
  ///
  /// A setting is given as `--volume=7`, `--volume 7` or, as ``UserDefaults`` takes it, `-volume 7`;
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
    let takesNothing = key.takesBool
    var found: [Option] = []
    var index = 0
    while index < end {
      defer { index += 1 }
      let word = words[index]
      guard isOption(word) else { continue }
      for name in key.allNames {
        let start = index
        var text: String?
        if word.hasPrefix("--\(name)=") {
          text = String(word.dropFirst(name.count + 3))
        } else if takesNothing, word == "--no-\(name)" {
          text = "false"
        } else if word == "--\(name)" || word == "-\(name)" {
          let next = index + 1 < end ? words[index + 1] : nil
          if let next, !isOption(next), !takesNothing || Defaults.AnyKey.isBool(next) {
            text = next
            index += 1
          } else if takesNothing {
            text = "true"
          } else {
            text = ""
          }
        }
        guard let text else { continue }
        found.append(
          Option(
            text: Defaults.LayerText(text, at: "argument \(start + 1)"), positions: start...index))
        break
      }
    }
    return found
  }

  /// Whether a word is the name of an option: it begins with a dash, and is no number.
  private func isOption(_ word: String) -> Bool {
    guard word.count > 1, word.hasPrefix("-") else { return false }
    return Double(word) == nil || !word.contains(where: \.isNumber)
  }
}
