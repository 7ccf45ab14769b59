import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs that change settings.

extension Verb {
  static let writing: [Verb] = [set, unset, add, remove]

  private static let set: Verb = Verb(
    name: "set", operands: "NAME VALUE…|-", count: 1...Int.max, takesRest: true,
    summary: "change a setting; several values are the elements of a collection, - reads standard "
      + "input, and a secret without a value is asked for"
  ) { command, invocation in
    let key = try command.key(named: invocation.operands[0])
    let words = Array(invocation.operands.dropFirst())
    guard !words.isEmpty || key.isSecret else {
      throw UsageError("the usage is: \(set.usage(of: command))")
    }
    let texts = try command.texts(words, for: key)
    try command.explainingRefusal(of: key) {
      try key.store(try key.edit(ofTexts: texts, in: command.suite), in: command.suite)
    }
    try command.tellChange(of: [key])
  }

  private static let everything = Option(name: "--all", summary: "all settings, secrets too")
  private static let yes = Option(name: "--yes", summary: "don't ask whether to do it")

  private static let unset = Verb(
    name: "unset", aliases: ["reset"], operands: "NAME…|--all", count: 0...Int.max,
    options: [everything, yes], summary: "give settings, or all of them, their defaults"
  ) { command, invocation in
    let names = invocation.operands
    // Without names there may be a mistake in a script, as an empty variable.
    guard invocation.has(everything) == names.isEmpty else {
      throw UsageError(
        names.isEmpty
          ? "no settings are named; name some, or give --all"
          : "some settings are named; give these or --all, and not both")
    }
    let keys = try command.keys(named: names)
    if names.isEmpty {
      if !invocation.has(yes) { try command.confirmReset(of: keys) }
    } else {
      for key in keys { try command.suite.requireUnmanaged(key) }
    }
    // One change: who watches sees all of them reset, or none.
    command.suite.reset(keys)
    try command.tellChange(of: keys)
  }

  private static let add = Verb(
    name: "add", operands: "NAME VALUE…|-", count: 2...Int.max, takesRest: true,
    summary: "add elements to a collection, to a dictionary as KEY=VALUE"
  ) { command, invocation in
    try command.changeElements(invocation.operands, .adding)
  }

  private static let remove = Verb(
    name: "remove", operands: "NAME VALUE…|-", count: 2...Int.max, takesRest: true,
    summary: "remove elements from a collection, from a dictionary by their keys"
  ) { command, invocation in
    try command.changeElements(invocation.operands, .removing)
  }
}

extension Defaults.Command {
  fileprivate func changeElements(_ operands: [String], _ deed: Defaults.ElementChange) throws {
    let key = try key(named: operands[0])
    let texts = try texts(Array(operands.dropFirst()), for: key)
    try change(key) { entry throws(Defaults.SuiteError) in
      try key.edit(ofElements: texts, deed, of: entry, in: suite)
    }
    try tellChange(of: [key])
  }

  /// Makes an edit that depends on the entry, in one step.
  fileprivate func change(
    _ key: Defaults.AnyKey,
    _ body: (Defaults.PropertyListValue?) throws(Defaults.SuiteError) -> Defaults.Edit
  ) throws {
    try explainingRefusal(of: key) {
      // Before anything is made for a change that there isn't.
      _ = try body(key.entry(in: suite))
      try suite.transaction { draft in
        key.write(try body(key.entry(in: draft)), in: &draft)
      }
    }
  }

  /// The texts of a setting's values: words of the command line with their escapes undone, or that
  /// of standard input for a single dash. A secret is asked for at a terminal.
  fileprivate func texts(_ words: [String], for key: Defaults.AnyKey) throws -> [String] {
    if key.isSecret, words.isEmpty || words == ["-"], Terminal.canAsk {
      return [try Terminal.secret(named: key.name)]
    }
    guard !words.isEmpty else {
      throw UsageError(
        "\(key.name) is secret, and there is no terminal to ask for it; give it on standard input: "
          + "\(name) set NAME -")
    }
    if words == ["-"] { return [try Input.value()] }
    for word in words where word.contains(where: \.isNewline) {
      throw UsageError(
        "\(key.name) takes one line" + (key.isSecret ? "" : ", not \"\(word)\"")
          + "; - reads more from standard input")
    }
    return words.map(unescaped)
  }

  /// Asks whether to reset all settings; throws if not, or if no person can be asked.
  fileprivate func confirmReset(of keys: [Defaults.AnyKey]) throws {
    guard Terminal.canAsk else {
      throw UsageError("there is no terminal to ask whether to reset all settings; give --yes")
    }
    let secrets = keys.contains(where: \.isSecret) ? ", secrets too" : ""
    guard Terminal.confirms("Give all \(keys.count) settings of \(name) their defaults\(secrets)?")
    else { throw Defaults.CommandError("nothing was changed", status: 1) }
  }

  /// Runs a body whose refusal of a value is a mistake of whoever typed that.
  func explainingRefusal(of key: Defaults.AnyKey, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as Defaults.SuiteError where error.code == .invalid {
      throw UsageError("\(key.name): \(error.reason)")
    }
  }

  /// Stores what was changed, and prints it.
  func tellChange(of keys: [Defaults.AnyKey]) throws {
    try save()
    for key in keys {
      Console.print("\(key.name) = \(visibleText(of: key))")
      tellWhetherShadowed(key)
    }
  }

  /// Prints which layer overrides what is set, if one does.
  func tellWhetherShadowed(_ key: Defaults.AnyKey) {
    guard suite.isShadowed(key), let counting = suite.inspect(key).first(where: \.counts) else {
      return
    }
    Console.printError(
      "\(key.name) is given by \(counting.place ?? counting.layer); what is set has no effect now")
  }

  /// Waits until all changes are in the file; throws what prevents it.
  func save() throws {
    try suite.flush(.snapshot)
  }
}
