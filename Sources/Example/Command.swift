import Defaults
import Foundation

/// What the program can be told to do.
struct Command: Sendable {
  let name: String
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
      Console.print(try setting(named: $0[0]).text)
    },
    Command(name: "set", operands: "NAME VALUE", count: 2...2, summary: "change a setting") {
      let setting = try setting(named: $0[0])
      try setting.set($0[1])
      Console.print("\(setting.name) = \(setting.visibleText)")
    },
    Command(
      name: "reset", operands: "[NAME…]", count: 0...Int.max,
      summary: "give settings, or all of them, their defaults"
    ) {
      let settings = try settings(named: $0)
      // One change: who watches sees all of them reset, or none.
      Defaults.reset(settings.map(\.anyKey))
      try SettingsFile.save()
      for setting in settings { Console.print("\(setting.name) = \(setting.visibleText)") }
    },
    Command(name: "path", summary: "print where the file is") { _ in
      Console.print(try SettingsFile.url.path)
    },
    Command(name: "export", summary: "print what is stored as an XML property list") { _ in
      let entries = Defaults.PropertyListSuite.standard.entries
      FileHandle.standardOutput.write(try Defaults.PropertyListFormat.xml.encode(entries))
    },
    Command(
      name: "watch", operands: "[NAME…]", count: 0...Int.max,
      summary: "print changes until interrupted; lines NAME VALUE on standard input make some"
    ) {
      try watch(settings(named: $0))
    },
    Command(name: "help", summary: "print this") { _ in Console.print(help) },
  ]

  /// Runs the command that the arguments of the program name, or without any counts the launch.
  static func run(_ arguments: [String]) throws {
    guard let name = arguments.first else { return try launch() }
    guard let command = all.first(where: { $0.name == name }) else {
      throw UsageError(unknown: "command", name, known: all.map(\.name))
    }
    let operands = Array(arguments.dropFirst())
    guard command.count.contains(operands.count) else {
      throw UsageError("the usage is: Example \(command.synopsis)")
    }
    try command.run(operands)
  }

  private static func launch() throws {
    // Reads and writes in one step. `Defaults[.launchCount] += 1` could lose the count of another
    // thread between the two.
    let launch = try Defaults.PropertyListSuite.standard.update(.launchCount) { count in
      count += 1
      return count
    }
    Console.print(
      table(allSettings.map { [$0.name, $0.visibleText] + ($0.isDefault ? ["(default)"] : []) }))
    if let url = Defaults.PropertyListSuite.standard.url {
      try SettingsFile.save()
      Console.print("\nLaunch \(launch). The settings are kept in \(url.path)")
    } else {
      Console.print("\nLaunch \(launch), which won't be kept.")
    }
  }

  private static var help: String {
    """
    Usage: Example [COMMAND]

    Without a command, Example counts the launch and prints all settings.

    \(table(all.map { ["  \($0.synopsis)", $0.summary] }))

    Settings:
    \(table(allSettings.map { ["  \($0.name)", $0.accepted] }))
    """
  }

  private var synopsis: String { operands.isEmpty ? name : "\(name) \(operands)" }
}
