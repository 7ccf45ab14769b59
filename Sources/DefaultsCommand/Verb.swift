import Defaults
import DefaultsPage
import Foundation

/// A verb of the settings command.
struct Verb: Sendable {
  let name: String
  /// Other spellings of the name.
  var aliases: [String] = []
  /// The operands, for help.
  var operands = ""
  /// The allowed number of operands.
  var count = 0...0
  var options: [Option] = []
  /// Whether all words after the first operand are operands, even if they look like options.
  var takesRest = false
  /// Whether the verb reads or changes settings.
  var usesSettings = true
  let summary: String
  let run: @Sendable (Defaults.Command, Invocation) throws -> Void

  typealias Option = Invocation.Option
}

extension Verb {
  static let all: [Verb] =
    reading + writing + [edit, watch] + undoing + syncing + exchanging + references + [
      page, doctor, completion, help, version,
    ]

  static let secrets = Option(name: "--show-secrets", summary: "show the values of secrets")

  private static let help = Verb(
    name: "help", aliases: ["--help", "-h"], operands: "[COMMAND]", count: 0...1,
    usesSettings: false,
    summary: "print this help"
  ) { command, invocation in
    if let name = invocation.operands.first {
      for line in try named(name, of: command).help(of: command) { Console.print(line) }
    } else {
      for line in help(of: command) { Console.print(line) }
    }
  }

  private static let version = Verb(
    name: "version", aliases: ["--version"], usesSettings: false, summary: "print the version"
  ) { command, _ in
    Console.print([command.name, command.version ?? "(no version)"].joined(separator: " "))
  }

  /// Runs the verb that the arguments name.
  static func run(_ arguments: [String], of command: Defaults.Command) throws {
    if Defaults.CGI()?.mayHaveMade(arguments) == true {
      throw UsageError("arguments from a web request are rejected")
    }
    let (command, arguments) = try command.choosingProfile(arguments)
    let verb = try named(arguments.first ?? "list", of: command)
    let rest = Array(arguments.dropFirst())
    if rest == ["--help"] || rest == ["-h"] {
      for line in verb.help(of: command) { Console.print(line) }
      return
    }
    let misuse = UsageError("usage: \(verb.usage(of: command))")
    let options = verb.options(in: command)
    let invocation = try Invocation(
      rest, options, takesRest: verb.takesRest, misuse: misuse
    ) { UsageError(unknown: "option", $0, known: options.map(\.name)) }
    guard verb.count.contains(invocation.operands.count) else { throw misuse }
    try verb.run(try verb.command(command, for: invocation), invocation)
  }

  static func named(
    _ name: String, of command: Defaults.Command
  ) throws(UsageError) -> Verb {
    if name == candidates.name { return candidates }
    let all = all(of: command)
    if let verb = all.first(where: { $0.name == name || $0.aliases.contains(name) }) { return verb }
    throw name.hasPrefix("-")
      ? UsageError(
        unknown: "option", name, known: all.flatMap(\.aliases).filter { $0.first == "-" })
      : UsageError(unknown: "command", name, known: listed(of: command).map(\.name))
  }

  // MARK: - Help

  private func synopsis(of command: Defaults.Command) -> String {
    // Options precede the operands, since `set` takes all words after the name as values.
    ([name] + options(in: command).map { "[\($0.synopsis)]" } + [operands]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  /// The full command line, for help.
  func usage(of command: Defaults.Command) -> String { "\(command.name) \(synopsis(of: command))" }

  private func help(of command: Defaults.Command) -> [String] {
    ["Usage: \(usage(of: command))", "       \(summary)"]
      + table(options(in: command).map { ["       \($0.synopsis)", $0.summary] })
  }

  private static func help(of command: Defaults.Command) -> [String] {
    let profile = command.suite.hasProfiles ? "[\(profileOption.synopsis)] " : ""
    return ["Usage: \(command.name) \(profile)[COMMAND]", ""]
      + table(
        listed(of: command).map { verb in
          let spellings = ([verb.name] + verb.aliases).joined(separator: " | ")
          return ["  \(spellings) \(verb.operands)", verb.summary]
        }, width: Console.width)
      + ["", "`\(command.name) COMMAND --help` prints the options of a command.", "", "Settings:"]
      + table(command.keys.map { ["  \($0.name)", $0.acceptedValues] }, width: Console.width)
      // The console prints the control character at the end of this line as an escape.
      + ["", "Control characters are printed as escapes, which set accepts: \u{1B}"]
  }
}
