import Defaults
import Foundation

/// One of the things that a settings command can do.
struct Verb: Sendable {
  let name: String
  /// Other spellings of the name.
  var aliases: [String] = []
  /// The arguments after the name, for help.
  var operands = ""
  /// How many of them there may be.
  var count = 0...0
  var options: [Option] = []
  /// Whether all that follows the first operand is one, whatever it looks like.
  var takesRest = false
  let summary: String
  let run: @Sendable (Defaults.Command, Invocation) throws -> Void

  /// What a verb can be told besides its operands.
  struct Option: Sendable {
    let name: String
    /// What stands behind it, for help; nil if it stands alone.
    var value: String?
    let summary: String
  }
}

/// What a verb was told.
struct Invocation: Sendable {
  var operands: [String] = []
  /// By name; of an option that stands alone the text is empty.
  var options: [String: String] = [:]

  func has(_ option: Verb.Option) -> Bool { options[option.name] != nil }
  subscript(option: Verb.Option) -> String? { options[option.name] }
}

extension Verb {
  static let all: [Verb] =
    reading + writing + [edit, watch] + exchanging + [doctor, completion, help, version]

  static let json = Option(name: "--json", summary: "as JSON")
  static let secrets = Option(name: "--show-secrets", summary: "show the values of secrets")

  private static let help = Verb(
    name: "help", aliases: ["--help", "-h"], operands: "[COMMAND]", count: 0...1,
    summary: "print this"
  ) { command, invocation in
    if let name = invocation.operands.first {
      for line in try named(name).help(of: command) { Console.print(line) }
    } else {
      for line in help(of: command) { Console.print(line) }
    }
  }

  private static let version = Verb(
    name: "version", aliases: ["--version"], summary: "print the version"
  ) { command, _ in
    Console.print([command.name, command.version ?? "says no version"].joined(separator: " "))
  }

  /// Does what arguments say.
  static func run(_ arguments: [String], of command: Defaults.Command) throws {
    let verb = try arguments.first.map { try named($0) } ?? named("list")
    let rest = Array(arguments.dropFirst())
    if rest == ["--help"] || rest == ["-h"] {
      for line in verb.help(of: command) { Console.print(line) }
      return
    }
    let invocation = try verb.invocation(rest, of: command)
    try verb.run(command, invocation)
  }

  static func named(_ name: String) throws(UsageError) -> Verb {
    if name == candidates.name { return candidates }
    if let verb = all.first(where: { $0.name == name || $0.aliases.contains(name) }) { return verb }
    throw name.hasPrefix("-")
      ? UsageError(
        unknown: "option", name, known: all.flatMap(\.aliases).filter { $0.first == "-" })
      : UsageError(unknown: "command", name, known: all.map(\.name))
  }

  private func invocation(
    _ words: [String], of command: Defaults.Command
  ) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" || takesRest && !invocation.operands.isEmpty {
        invocation.operands += (word == "--" ? [] : [word]) + rest
        break
      }
      // A dash alone is standard input or output.
      guard word.hasPrefix("-"), word != "-" else {
        invocation.operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageError(unknown: "option", word, known: options.map(\.name))
      }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.value != nil, value == nil { value = rest.popFirst() }
      guard (option.value == nil) == (value == nil) else {
        throw UsageError("the usage is: \(usage(of: command))")
      }
      invocation.options[option.name] = value ?? ""
    }
    guard count.contains(invocation.operands.count) else {
      throw UsageError("the usage is: \(usage(of: command))")
    }
    return invocation
  }

  // MARK: - Help

  private var synopsis: String {
    let options = options.map { "[\($0.name)\($0.value.map { " \($0)" } ?? "")]" }
    return ([name, operands] + options).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func usage(of command: Defaults.Command) -> String { "\(command.name) \(synopsis)" }

  private func help(of command: Defaults.Command) -> [String] {
    ["Usage: \(usage(of: command))", "       \(summary)"]
      + table(options.map { ["       \($0.name)\($0.value.map { " \($0)" } ?? "")", $0.summary] })
  }

  private static func help(of command: Defaults.Command) -> [String] {
    ["Usage: \(command.name) [COMMAND]", ""]
      + table(
        all.map { verb in
          let spellings = ([verb.name] + verb.aliases).joined(separator: " | ")
          return ["  \(spellings) \(verb.operands)", verb.summary]
        }, width: Console.width)
      + ["", "`\(command.name) COMMAND --help` lists the options of a command.", "", "Settings:"]
      + table(command.keys.map { ["  \($0.name)", $0.accepts] }, width: Console.width)
      // The console prints the control character at the end of this as its number.
      + ["", "Control characters are printed, and taken by set, as their numbers: \u{1B}"]
  }
}
