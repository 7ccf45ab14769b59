import DefaultsCommand
import Foundation

/// One of the things that can be done with a settings file.
struct Verb: Sendable {
  let name: String
  /// The arguments after the name, for help.
  var operands = ""
  /// How many of them there may be.
  var count = 0...0
  var options: [Option] = []
  let summary: String
  /// What else there is to know, in lines.
  var details: [String] = []
  let run: @Sendable (Place, Invocation) throws -> Void

  typealias Option = Invocation.Option
}

extension Verb {
  static let all: [Verb] =
    [list, get, set, unset, watch, export, importFile, diff, path, convert, doctor, history]
    + [restore, recover]

  /// Does what arguments say: the file, the verb, and what that takes.
  static func run(_ arguments: [String]) throws {
    guard let first = arguments.first else {
      throw UsageError(
        "the usage is: \(DefaultsFile.name) PATH|PROGRAM VERB …; `\(DefaultsFile.name) help` lists "
          + "the verbs")
    }
    switch first {
    case "help", "--help", "-h": return try help(arguments.dropFirst())
    // A damaged file is no settings file anymore.
    case recover.name: return try run(recover, arguments.dropFirst(), of: nil)
    case _ where first.hasPrefix("-"):
      throw UsageError(unknown: "option", first, known: ["--help", "-h"])
    default: break
    }
    let words = arguments.dropFirst()
    guard let name = words.first else { return try run(list, [], of: first) }
    if ["help", "--help", "-h"].contains(name) { return try help(words.dropFirst()) }
    try run(named(name), words.dropFirst(), of: first)
  }

  private static func run(_ verb: Verb, _ words: ArraySlice<String>, of file: String?) throws {
    if words.contains(where: { ["--help", "-h"].contains($0) }), !words.contains("--") {
      return verb.printHelp()
    }
    var invocation = try verb.invocation(words)
    if file == nil, invocation.operands.isEmpty { throw verb.misuse }
    let place = try Place(path(file ?? invocation.operands.removeFirst(), isBare: file == nil))
    guard verb.count.contains(invocation.operands.count) else { throw verb.misuse }
    try verb.run(place, invocation)
  }

  /// The path of an argument that can't be a program's name.
  private static func path(_ argument: String, isBare: Bool) -> String {
    isBare && !argument.isEmpty && !argument.contains("/") ? "./" + argument : argument
  }

  static func named(_ name: String) throws(UsageError) -> Verb {
    guard let verb = all.first(where: { $0.name == name }) else {
      throw UsageError(unknown: "verb", name, known: all.map(\.name) + ["help"])
    }
    return verb
  }

  private func invocation(_ words: ArraySlice<String>) throws(UsageError) -> Invocation {
    try Invocation(
      words, options, misuse: misuse,
      isOperand: { word in
        // A number below 0 is a value.
        let second = word.dropFirst().first
        return second.map { $0.isNumber || $0 == "." || word == "-inf" } ?? true
      },
      unknown: { word in
        options.isEmpty
          ? UsageError("\(name) has no option \"\(word)\"")
          : UsageError(unknown: "option", word, known: options.map(\.name))
      })
  }

  // MARK: - Help

  /// The command as it has to be given.
  var usage: String {
    let options = options.map { "[\($0.synopsis)]" }
    let words = name == Self.recover.name ? [] : ["PATH|PROGRAM"]
    return ([DefaultsFile.name] + words + [name] + options + [operands]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  var misuse: UsageError { UsageError("the usage is: \(usage)") }

  private func printHelp() {
    Console.print("Usage: \(usage)")
    for line in [summary] + details { Console.print("       \(line)") }
    let rows = options.map { ["       \($0.synopsis)", $0.summary] }
    for line in table(rows, width: Console.width) { Console.print(line) }
  }

  private static func help(_ words: ArraySlice<String>) throws {
    if let name = words.first, words.count == 1, name != "help" {
      return try named(name).printHelp()
    }
    Console.print("Usage: \(DefaultsFile.name) PATH|PROGRAM VERB …")
    Console.print("       \(DefaultsFile.name) recover DAMAGED-FILE")
    Console.print("")
    let rows = all.map { ["  \($0.name) \($0.operands)", $0.summary] }
    for line in table(rows, width: Console.width) { Console.print(line) }
    for line in [
      "", "A PATH has a slash in it or ends in .plist; a PROGRAM is a suite's name, whose file is",
      "in the user's configuration. Without a verb the entries are listed.",
      "`\(DefaultsFile.name) help VERB` lists the options of a verb.", "",
      "Entries have no keys here, so nothing is known to be secret, and nothing is hidden.",
      "Changes go through the library: programs that run notice them.",
      "The status is 0, 1 where diff, doctor or recover found something, or one of sysexits.h.",
    ] { Console.print(line) }
  }
}
