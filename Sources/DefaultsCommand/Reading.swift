import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs that read settings.

extension Verb {
  static let reading = [list, get, explain, schema, path]

  private static let about = Option(
    name: "--about", summary: "also print the description of each setting")

  private static let list = Verb(
    name: "list", operands: "[NAME…]", count: 0...Int.max, options: [.json, about, secrets],
    summary: "print settings with their values and sources"
  ) { command, invocation in
    let keys = try command.keys(named: invocation.operands, orGroups: true)
    let shown = invocation.has(secrets)
    if invocation.has(.json) {
      let visible = keys.filter { shown || !command.suite.isSecret($0) }
      return Console.printExactly(try command.json(of: visible, withVersion: true))
    }
    command.list(keys, withAbout: invocation.has(about), showingSecrets: shown)
  }

  private static let defaultValue = Option(
    name: "--default", summary: "print the default value instead")

  private static let get = Verb(
    name: "get", operands: "NAME", count: 1...1,
    options: [defaultValue, .json, secrets],
    summary: "print the value of a setting"
  ) { command, invocation in
    let key = try command.key(named: invocation.operands[0])
    guard invocation.has(secrets) || !command.suite.isSecret(key) else {
      throw Defaults.CommandError(
        "\(key.name) is secret; use --show-secrets to print it", status: 77)
    }
    let wantsDefault = invocation.has(defaultValue)
    if !wantsDefault { try command.requireValue(of: key) }
    if invocation.has(.json) {
      let entry = wantsDefault ? key.entryOfDefault : key.entryOfValue(in: command.suite)
      return Console.printExactly(try command.json(ofValue: entry))
    }
    let text = wantsDefault ? key.defaultText : command.suite.text(for: key)
    Console.print(text ?? "")
  }

  private static let explain = Verb(
    name: "explain", operands: "NAME", count: 1...1, options: [secrets],
    summary: "print the description, the accepted values, and the value in each layer"
  ) { command, invocation in
    let key = try command.key(named: invocation.operands[0])
    let shown = invocation.has(secrets) || !command.suite.isSecret(key)
    Console.print(key.about.map { "\(key.name): \($0)" } ?? key.name)
    var rows = [
      ["  takes", key.acceptedValues],
      ["  value", command.visibleText(of: key, showingSecrets: shown)],
      [
        "  default",
        key.isRequired
          ? "none, the setting is required"
          : !shown
            ? "(secret)" : key.hasGeneratedDefault ? generatedLater : visible(key.defaultText),
      ],
    ]
    if let origin = command.origin(of: key) { rows.append(["  synced", "from \(origin)"]) }
    if command.suite.isManaged(key) { rows.append(["  managed", "yes, it can't be changed here"]) }
    for line in table(rows, width: Console.width) { Console.print(line) }
    Console.print("  layers, highest precedence first:")
    for entry in command.suite.inspect(key) {
      var line = "  \(entry.counts ? "*" : " ") \(entry.layerName)"
      if let place = entry.place { line += "  \(place)" }
      if let text = entry.text {
        let isGenerated = entry.layer == "default" && key.hasGeneratedDefault
        line += ": " + (!shown ? "(secret)" : isGenerated ? generatedLater : visible(text))
      }
      if let problem = entry.error { line += " (\(problem.reason))" }
      Console.print("  " + line, inColour: entry.counts)
    }
  }

  private static let schema = Verb(
    name: "schema", usesSettings: false,
    summary: "print a JSON Schema for files exported as JSON"
  ) { command, _ in
    Console.printExactly(Defaults.jsonSchema(of: command.keys) + "\n")
  }

  private static let path = Verb(
    name: "path", usesSettings: false, summary: "print the path of the settings file"
  ) { command, _ in
    Console.printExactly("\(try command.file.path)\n")
  }
}

extension Defaults.Command {
  /// Prints a table of settings, in color if a value isn't the default.
  fileprivate func list(
    _ keys: [Defaults.AnyKey], withAbout hasAbout: Bool, showingSecrets shown: Bool = false
  ) {
    let sources = keys.map(source)
    let rows = zip(keys, sources).map { key, source in
      [key.name, visibleText(of: key, showingSecrets: shown), source]
        + (hasAbout ? [key.about ?? ""] : [])
    }
    for (line, source) in zip(table(rows, width: Console.width), sources) {
      Console.print(line, inColour: source != "(default)")
    }
  }

  /// The source of the value. Empty for a stored value, even if it equals the default; `(invalid)`
  /// if the stored value is invalid, and `(missing)` if a required setting has none.
  private func source(of key: Defaults.AnyKey) -> String {
    let entries = suite.inspect(key)
    guard let counting = entries.first(where: \.counts), counting.layer != "default" else {
      if entries.contains(where: { $0.isWritable && $0.error != nil }) { return "(invalid)" }
      return key.isRequired ? "(missing)" : "(default)"
    }
    return counting.isWritable ? "" : "(\(counting.layerName))"
  }

  /// Throws if a required setting has no valid value. A script would use an empty output as the
  /// value.
  fileprivate func requireValue(of key: Defaults.AnyKey) throws(Defaults.CommandError) {
    guard key.isRequired, suite.text(for: key) == nil else { return }
    for entry in suite.inspect(key) {
      guard let problem = entry.error else { continue }
      throw Defaults.CommandError(
        "\(key.name): \(entry.place ?? entry.layer): \(problem.reason)", status: 65)
    }
    throw Defaults.CommandError(
      "\(key.name): the setting is required and has no value; set one with `\(name) set "
        + "\(key.name)`", status: 65)
  }

  /// The suite's file.
  var file: URL {
    get throws {
      guard let path = suite.stored?.filePath else {
        throw Defaults.CommandError(
          "these settings aren't stored in a file", status: 74)
      }
      return URL(filePath: path)
    }
  }

  /// The key of a name that is typed unchanged or as the command prints it. Throws for an unknown
  /// name.
  func key(named name: String) throws(UsageError) -> Defaults.AnyKey {
    for name in DefaultsCommand.names(typed: name) {
      if let key = keys.first(where: { $0.name == name }) { return key }
    }
    throw UsageError(unknown: "setting", name, known: keys.map(\.name))
  }

  /// The keys of some names without duplicates, or all keys if there are no names. With `orGroups`,
  /// `editor` also selects all keys whose names begin with `editor.`.
  func keys(named names: [String], orGroups: Bool = false) throws(UsageError) -> [Defaults.AnyKey] {
    guard !names.isEmpty else { return keys }
    var found: [Defaults.AnyKey] = []
    for name in names {
      var new = orGroups ? group(named: name) : []
      // A group may have the same name as a setting.
      if new.isEmpty || keys.contains(where: { $0.name == name }) {
        new.insert(try key(named: name), at: 0)
      }
      for key in new where !found.contains(where: { $0.name == key.name }) { found.append(key) }
    }
    return found
  }

  private func group(named name: String) -> [Defaults.AnyKey] {
    for name in DefaultsCommand.names(typed: name) where !name.isEmpty {
      let prefix = name.hasSuffix(".") ? name : name + "."
      let group = keys.filter { $0.name.hasPrefix(prefix) }
      if !group.isEmpty { return group }
    }
    return []
  }

  /// The value as a text that is visible even if the value is missing or empty.
  func visibleText(of key: Defaults.AnyKey, showingSecrets shown: Bool = false) -> String {
    if suite.isSecret(key), !shown { return "(secret)" }
    // The value that this process would generate isn't used.
    return key.awaitsGeneration(in: suite) ? generatedLater : visible(suite.text(for: key))
  }

  /// The values of some settings as a JSON object. `withVersion` adds the version of a migrated
  /// suite, so that an import doesn't migrate the values again.
  func json(of keys: [Defaults.AnyKey], withVersion: Bool = false) throws -> String {
    var entries: [String: Defaults.PropertyListValue] = [:]
    if withVersion {
      entries[Defaults.versionName] = suite.entry(named: Defaults.versionName)
    }
    for key in keys where !key.awaitsGeneration(in: suite) {
      entries[key.name] = key.entryOfValue(in: suite)
    }
    return String(decoding: try Defaults.JSONFormat().encode(entries), as: UTF8.self)
  }

  /// A value as one line of JSON; `null` for none.
  func json(ofValue entry: Defaults.PropertyListValue?) throws -> String {
    (entry.map(Defaults.jsonText(of:)) ?? "null") + "\n"
  }
}

extension Defaults.LayerEntry {
  /// The layer's name for the user, who doesn't know the function that registers defaults.
  fileprivate var layerName: String { layer == "registered" ? "program default" : layer }
}

/// The text for a value that the program generates when it first needs it.
private let generatedLater = "(generated at first use)"

/// A text that is visible even if it is missing or empty.
func visible(_ text: String?) -> String {
  guard let text else { return "(none)" }
  return text.isEmpty ? "(empty)" : text
}
