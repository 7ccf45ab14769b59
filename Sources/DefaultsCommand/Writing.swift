import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs that change settings.

extension Verb {
  static let writing: [Verb] = [set, unset, add, remove]

  private static let set: Verb = Verb(
    name: "set", operands: "NAME VALUE…|-", count: 1...Int.max, takesRest: true,
    summary: "change a setting. Several values form a collection. - is standard input. For a "
      + "secret without a value, the command prompts"
  ) { command, invocation in
    let key = try command.key(named: invocation.operands[0])
    let words = Array(invocation.operands.dropFirst())
    guard !words.isEmpty || command.suite.isSecret(key) else {
      throw UsageError("usage: \(set.usage(of: command))")
    }
    let texts = try command.texts(words, for: key)
    try command.explainingRefusal(of: key) {
      try key.store(try key.edit(ofTexts: texts, in: command.suite), in: command.suite)
    }
    try command.tellChange(of: [key])
  }

  private static let everything = Option(name: "--all", summary: "all settings, including secrets")
  private static let yes = Option(name: "--yes", summary: "don't ask for confirmation")

  private static let unset = Verb(
    name: "unset", aliases: ["reset"], operands: "NAME…|--all", count: 0...Int.max,
    options: [everything, yes], summary: "reset settings to their defaults"
  ) { command, invocation in
    let names = invocation.operands
    // Missing names may be a mistake in a script, such as an empty variable.
    guard invocation.has(everything) == names.isEmpty else {
      throw UsageError(
        names.isEmpty
          ? "no settings are named; name settings or use --all"
          : "use names or --all, not both")
    }
    let keys = try command.keys(named: names)
    if names.isEmpty {
      if !invocation.has(yes) { try command.confirmReset(of: keys) }
    } else {
      for key in keys { try command.suite.requireUnmanaged(key) }
    }
    // One change, so that an observer sees all of the resets or none.
    try command.suite.commit { draft in
      for key in keys { key.write(.remove, in: &draft) }
    }
    try command.tellReset(of: keys)
  }

  private static let add = Verb(
    name: "add", operands: "NAME VALUE…|-", count: 2...Int.max, takesRest: true,
    summary: "add elements to a collection; for a dictionary, use KEY=VALUE"
  ) { command, invocation in
    try command.changeElements(invocation.operands, .adding)
  }

  private static let remove = Verb(
    name: "remove", operands: "NAME VALUE…|-", count: 2...Int.max, takesRest: true,
    summary: "remove elements from a collection; for a dictionary, use the keys"
  ) { command, invocation in
    try command.changeElements(invocation.operands, .removing)
  }
}

extension Defaults.Command {
  fileprivate func changeElements(_ operands: [String], _ deed: Defaults.ElementChange) throws {
    let key = try key(named: operands[0])
    let texts = try texts(Array(operands.dropFirst()), for: key)
    try change(key) { entry in
      // An invalid entry reads as the default, and the edit would discard the stored elements.
      if let entry, key.problem(with: entry) != nil {
        throw Defaults.CommandError(
          "\(key.name): the stored value is invalid, so nothing was changed; use set to replace it",
          status: 65)
      }
      return try key.edit(ofElements: texts, deed, of: entry, in: suite)
    }
    try tellChange(of: [key])
  }

  /// Makes an edit that depends on the current entry, atomically.
  fileprivate func change(
    _ key: Defaults.AnyKey,
    _ body: (Defaults.PropertyListValue?) throws -> Defaults.Edit
  ) throws {
    try explainingRefusal(of: key) {
      // Check first, so that an invalid edit never opens a transaction.
      _ = try body(key.entry(in: suite))
      try suite.transaction { draft in
        key.write(try body(key.entry(in: draft)), in: &draft)
      }
    }
  }

  /// The texts of a setting's values: arguments with their escapes undone, or the text of standard
  /// input for a single dash. Prompts for a secret at a terminal.
  fileprivate func texts(_ words: [String], for key: Defaults.AnyKey) throws -> [String] {
    if suite.isSecret(key), words.isEmpty || words == ["-"], Terminal.canAsk {
      return [try Terminal.secret(named: key.name)]
    }
    guard !words.isEmpty else {
      throw UsageError(
        "\(key.name) is secret and there is no terminal for a prompt; pass the value on "
          + "standard input: \(name) set NAME -")
    }
    if words == ["-"] { return [try Input.value()] }
    for word in words where word.contains(where: \.isNewline) {
      throw UsageError(
        "\(key.name): an argument must be one line"
          + (suite.isSecret(key) ? "" : ", not \"\(word)\"")
          + "; use - to read several lines from standard input")
    }
    return words.map(unescaped)
  }

  /// Asks whether to reset all settings. Throws if the answer is no, or without a terminal.
  fileprivate func confirmReset(of keys: [Defaults.AnyKey]) throws {
    guard Terminal.canAsk else {
      throw UsageError("there is no terminal for a question; use --yes to reset all settings")
    }
    let secrets = keys.contains { suite.isSecret($0) } ? ", including secrets" : ""
    guard Terminal.confirms("Reset all \(keys.count) settings of \(name)\(secrets)?")
    else { throw Defaults.CommandError("nothing was changed", status: 1) }
  }

  /// Runs a body, and turns the error of an invalid value into a usage error.
  func explainingRefusal(of key: Defaults.AnyKey, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as Defaults.SuiteError where error.code == .invalid {
      throw UsageError("\(key.name): \(error.reason)")
    }
  }

  /// Saves the changes and prints the new values.
  func tellChange(of keys: [Defaults.AnyKey]) throws {
    try save()
    for key in keys {
      Console.print("\(key.name) = \(visibleText(of: key))")
      tellWhetherShadowed(key)
    }
  }

  /// Saves the resets and prints the values that the settings have now.
  fileprivate func tellReset(of keys: [Defaults.AnyKey]) throws {
    try save()
    for key in keys {
      let text = suite.text(for: key)
      // The text of a secret without a value isn't secret.
      let isWithout = text?.isEmpty ?? true
      Console.print("\(key.name) = \(isWithout ? visible(text) : visibleText(of: key))")
      if let source = source(overriding: key) {
        Console.printError("\(key.name) is still set by \(source)")
      }
    }
  }

  /// The source of the value that overrides the stored value; nil if there is none.
  private func source(overriding key: Defaults.AnyKey) -> String? {
    guard suite.isShadowed(key) else { return nil }
    return suite.inspect(key).first(where: \.counts).map { $0.place ?? $0.layer }
  }

  /// Prints which layer overrides the stored value, if one does.
  func tellWhetherShadowed(_ key: Defaults.AnyKey) {
    guard let source = source(overriding: key) else { return }
    Console.printError(
      "\(key.name) is overridden by \(source); the stored value has no effect")
  }

  /// Waits until all changes are in the file. Throws if they can't be saved.
  func save() throws {
    try suite.flush(.snapshot)
  }
}
