import Defaults
import DefaultsText
import Foundation

/// What the program can be told to do.
struct Command: Sendable {
  let name: String
  /// Other spellings of the name, as most programs know them.
  var options: [String] = []
  /// The arguments after the name, for help.
  var operands = ""
  /// How many of them there may be.
  var count = 0...0
  let summary: String
  let run: @Sendable ([String]) throws -> Void
}

extension Command {
  static let all = [
    Command(name: "get", operands: "NAME", count: 1...1, summary: "print the value of a setting") {
      Console.print(try setting(named: $0[0]).text ?? "")
    },
    Command(name: "set", operands: "NAME VALUE", count: 2...2, summary: "change a setting") {
      let key = try setting(named: $0[0])
      try key.set(line: $0[1])
      Console.print("\(key.name) = \(key.visibleText)")
    },
    Command(
      name: "reset", operands: "[NAME…]", count: 0...Int.max,
      summary: "give settings, or all of them, their defaults"
    ) {
      let keys = try settings(named: $0)
      // One change: who watches sees all of them reset, or none.
      Defaults.reset(keys)
      try SettingsFile.save()
      for key in keys { Console.print("\(key.name) = \(key.visibleText)") }
    },
    Command(name: "path", summary: "print where the file is") { _ in
      Console.printExactly("\(try SettingsFile.url.path)\n")
    },
    Command(name: "export", summary: "print what is stored as an XML property list") { _ in
      let entries = Defaults.PropertyListSuite.standard.entries
      let data = try Defaults.PropertyListFormat.xml.encode(entries)
      Console.printExactly(String(decoding: data, as: UTF8.self))
    },
    Command(
      name: "watch", operands: "[NAME…]", count: 0...Int.max,
      summary: "print changes until interrupted; lines NAME VALUE on standard input make some"
    ) {
      try watch(settings(named: $0))
    },
    Command(name: "help", options: ["--help", "-h"], summary: "print this") { _ in
      for line in help { Console.print(line) }
    },
    Command(name: "version", options: ["--version"], summary: "print the version") { _ in
      Console.print("Example \(version)")
    },
  ]

  private static let version = "1.0"

  /// Runs the command that the arguments of the program name, or without any counts the launch.
  static func run(_ arguments: [String]) throws {
    guard let name = arguments.first else { return try launch() }
    let command = try command(named: name)
    let operands = Array(arguments.dropFirst())
    if operands == ["--help"] || operands == ["-h"] {
      Console.print("Usage: Example \(command.synopsis)")
      return Console.print("       \(command.summary)")
    }
    guard command.count.contains(operands.count) else {
      throw UsageError("the usage is: Example \(command.synopsis)")
    }
    try command.run(operands)
  }

  private static func command(named name: String) throws(UsageError) -> Command {
    if let command = all.first(where: { $0.name == name || $0.options.contains(name) }) {
      return command
    }
    throw name.hasPrefix("-")
      ? UsageError(unknown: "option", name, known: all.flatMap(\.options))
      : UsageError(unknown: "command", name, known: all.map(\.name))
  }

  private static func launch() throws {
    // Reads and writes in one step. `Defaults[.launchCount] += 1` could lose the count of another
    // thread between the two.
    let launch = try Defaults.PropertyListSuite.standard.update(.launchCount) { count in
      // The largest count stays.
      if count < Int.max { count += 1 }
      return count
    }
    let rows = allSettings.map {
      [$0.name, $0.visibleText, $0.isDefaultValue ? "(default)" : "", $0.about ?? ""]
    }
    for (line, key) in zip(table(rows), allSettings) {
      Console.print(line, inColour: !key.isDefaultValue)
    }
    Console.print("")
    if let url = Defaults.PropertyListSuite.standard.url {
      try SettingsFile.save()
      Console.print("Launch \(launch). The settings are kept in \(url.path)")
    } else {
      Console.print("Launch \(launch), which won't be kept.")
    }
  }

  private static var help: [String] {
    ["Usage: Example [COMMAND]", ""]
      + ["Without a command, Example counts the launch and prints all settings.", ""]
      + table(all.map { ["  \($0.allSynopses)", $0.summary] })
      + ["", "Settings:"]
      + table(allSettings.map { ["  \($0.name)", $0.accepts] })
      // The console prints the control character at the end of this as its number.
      + ["", "Control characters are printed, and taken by set, as their numbers: \u{1B}"]
  }

  private var synopsis: String { operands.isEmpty ? name : "\(name) \(operands)" }

  private var allSynopses: String { ([synopsis] + options).joined(separator: " | ") }
}
