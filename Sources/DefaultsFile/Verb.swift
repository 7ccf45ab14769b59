import DefaultsCommand
import Foundation

/// A verb of the tool.
struct Verb: Sendable {
  let name: String
  /// The operands, for help.
  var operands = ""
  /// The allowed number of operands.
  var count = 0...0
  var options: [Option] = []
  let summary: String
  /// Further lines of help.
  var details: [String] = []
  let run: @Sendable (Place, Invocation) throws -> Void

  typealias Option = Invocation.Option
}

extension Verb {
  static let all: [Verb] =
    [list, get, set, unset, watch, export, importFile, diff, path, convert, doctor, history]
    + [restore, recover]

  /// Runs arguments: the file, the verb, and its operands and options.
  static func run(_ arguments: [String]) throws {
    guard let first = arguments.first else {
      throw UsageError(
        "usage: \(DefaultsFile.name) PATH|PROGRAM VERB …; `\(DefaultsFile.name) help` lists "
          + "the verbs")
    }
    switch first {
    case "help", "--help", "-h": return try help(arguments.dropFirst())
    // `recover` needs no settings file, since a damaged file isn't a settings file anymore.
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
    // Among other words it may be meant as a value.
    if words == ["--help"] || words == ["-h"] { return verb.printHelp() }
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
        // A negative number is a value.
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

  /// The full command line, for help.
  var usage: String {
    let options = options.map { "[\($0.synopsis)]" }
    let words = name == Self.recover.name ? [] : ["PATH|PROGRAM"]
    return ([DefaultsFile.name] + words + [name] + options + [operands]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  var misuse: UsageError { UsageError("usage: \(usage)") }

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
      "",
      "A PATH contains a slash or ends in .plist, .json or .jsonc. A PROGRAM is the name of a",
      "suite whose file is in the user's configuration folder. Without a verb, the entries are",
      "listed.",
      "`\(DefaultsFile.name) help VERB` prints the options of a verb.", "",
      "Only history redacts secrets: other verbs don't know which entries are secret.",
      "Running programs are notified of changes.",
      "Exit status: 0; 1 if diff, doctor or recover found something; for errors, see sysexits.h.",
    ] { Console.print(line) }
  }
}
