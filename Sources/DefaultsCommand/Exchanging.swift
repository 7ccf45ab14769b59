import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs for files of settings.

extension Verb {
  static let exchanging = [export, importFile, diff]

  private static let replace = Option(
    name: "--replace", summary: "reset the settings that the file doesn't have, but for secrets")

  private static let export = Verb(
    name: "export", operands: "[FILE]", count: 0...1, options: [.format, secrets],
    summary: "print what is stored, by default as an XML property list, or write it to a file"
  ) { command, invocation in
    let file = invocation.operands.first
    let format = try FileFormat(invocation[.format], file: file)
    let selection = invocation.has(secrets) ? Defaults.Selection.all.includingSecrets : .all
    let data = try command.suite.exportData(selection, as: format)
    guard let file, file != "-" else { return Console.printExactly(data) }
    try command.suite.export(selection, to: URL(filePath: file), as: format)
  }

  private static let importFile = Verb(
    name: "import", operands: "FILE", count: 1...1, options: [.format, .dryRun, replace],
    summary: "take the settings of a file, all of them or none; - is standard input"
  ) { command, invocation in
    let file = invocation.operands[0]
    let data = try Input.content(of: file)
    let format = try FileFormat(invocation[.format], file: file, data)
    let entries = try command.entries(in: data, format, of: file)
    let mode = invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    let selection = Defaults.Selection.keys(command.keys(spokenOfBy: entries))
    if invocation.has(.dryRun) {
      // The same, with a copy.
      let copy = Defaults.MemorySuite(command.suite.entries)
      try command.explainingPath(file) {
        _ = try copy.importEntries(selection, from: entries, by: mode)
      }
      command.printDifferences(from: copy.entries, names: command.suite.names.union(copy.names))
      return command.tellUnknownNames(of: entries)
    }
    let report = try command.explainingPath(file) {
      try command.suite.importEntries(selection, from: entries, by: mode)
    }
    try command.save()
    command.tellUnknownNames(of: entries)
    for line in "\(report)".split(separator: "\n") { Console.print(String(line)) }
  }

  private static let diff = Verb(
    name: "diff", operands: "FILE", count: 1...1, options: [.format],
    summary: "print how a file of settings differs; the status is 1 if it does"
  ) { command, invocation in
    let file = invocation.operands[0]
    let data = try Input.content(of: file)
    let entries = try command.entries(
      in: data, FileFormat(invocation[.format], file: file, data), of: file)
    let names = command.keys(spokenOfBy: entries).map(\.name)
      .filter { command.suite.entries[$0] != nil }
    if command.printDifferences(from: entries, names: names + entries.keys) {
      throw Defaults.CommandError("", status: 1)
    }
  }
}

extension Defaults.Command {
  /// The keys of which a file says what they are to be, be it that it doesn't have them: an export
  /// leaves secrets out, and so a file without a secret says nothing of it.
  fileprivate func keys(
    spokenOfBy entries: [String: Defaults.PropertyListValue]
  ) -> [Defaults.AnyKey] {
    keys.filter { key in !key.isSecret || key.allNames.contains { entries[$0] != nil } }
  }

  /// The entries of a file, in their current form.
  fileprivate func entries(
    in data: Data, _ format: FileFormat, of file: String
  ) throws -> [String: Defaults.PropertyListValue] {
    try explainingPath(file) { () throws(Defaults.SuiteError) in
      let entries: [String: Defaults.PropertyListValue]
      do {
        entries = try format.decode(data)
      } catch {
        let reason = (error as? Defaults.PropertyListError)?.description(in: data) ?? "\(error)"
        throw Defaults.SuiteError(.malformed, reason)
      }
      return try suite.migratedForImport(entries)
    }
  }

  /// Runs a body whose errors are about a file.
  fileprivate func explainingPath<Result>(_ file: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch var error as Defaults.SuiteError {
      error.path = file
      throw error
    }
  }

  /// Says which names of a file are no settings, and so weren't taken.
  fileprivate func tellUnknownNames(of entries: [String: Defaults.PropertyListValue]) {
    let declared = Set(keys.flatMap(\.allNames))
    for name in entries.keys.sorted() where !declared.contains(name) && !Defaults.isReserved(name) {
      let nearest = NearestName.of(name, in: keys.map(\.name)).map { " (\($0)?)" } ?? ""
      Console.printError("\(name): skipped, no setting has this name\(nearest)")
    }
  }

  /// Prints the settings of these names that entries have another value for; returns whether there
  /// are any.
  @discardableResult
  fileprivate func printDifferences(
    from theirs: [String: Defaults.PropertyListValue], names: some Sequence<String>
  ) -> Bool {
    let ours = suite.entries
    var isDifferent = false
    for name in Set(names).sorted() where !Defaults.isReserved(name) && ours[name] != theirs[name] {
      isDifferent = true
      let key = keys.first { $0.allNames.contains(name) }
      let texts = [ours[name], theirs[name]].map { entry -> String in
        guard let entry else { return "(none)" }
        if key?.isSecret == true || suite.support.isSecret(name) { return "(secret)" }
        return visible(key?.text(showing: entry) ?? Defaults.jsonText(of: entry))
      }
      Console.print("\(name): \(texts[0]) -> \(texts[1])", inColour: true)
    }
    return isDifferent
  }
}

/// The formats that a file of settings may have.
package enum FileFormat: Defaults.ExchangeFormat {
  case json, xml, binary

  /// The format of this name; without one what the file's name says, or its content.
  package init(_ name: String?, file: String?, _ data: Data? = nil) throws(UsageError) {
    switch name {
    case "json": self = .json
    case "plist", "xml": self = .xml
    case "binary": self = .binary
    case let name?: throw UsageError(unknown: "format", name, known: ["json", "plist", "binary"])
    case nil:
      if file?.hasSuffix(".json") == true { self = .json; return }
      self = data.map(Defaults.FileSource.isJSON) == true ? .json : .xml
    }
  }

  package func encode(_ entries: [String: Defaults.PropertyListValue]) throws -> Data {
    switch self {
    case .json: try Defaults.JSONFormat().encode(entries)
    case .xml: try Defaults.PropertyListFormat.xml.encode(entries)
    case .binary: try Defaults.PropertyListFormat.binary.encode(entries)
    }
  }

  package func decode(_ data: Data) throws -> [String: Defaults.PropertyListValue] {
    switch self {
    case .json: try Defaults.JSONFormat().decode(data)
    case .xml, .binary: try Defaults.PropertyListFormat.decode(data).entries
    }
  }
}
