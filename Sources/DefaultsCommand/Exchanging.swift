import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs for files of settings.

extension Verb {
  static let exchanging = [export, importFile, diff]

  private static let replace = Option(
    name: "--replace", summary: "also reset settings that the file doesn't have, except secrets")

  private static let nested = Option(
    name: "--nested", summary: "nest dotted names: limits.requests is a member of limits")

  private static let export = Verb(
    name: "export", operands: "[FILE]", count: 0...1, options: [.format, secrets, nested],
    summary: "print the settings of all layers or write them to a file, by default as an XML "
      + "property list. Defaults of keys are left out"
  ) { command, invocation in
    let file = invocation.operands.first
    let format = try FileFormat(invocation[.format], file: file)
    let selection = invocation.has(secrets) ? Defaults.Selection.all.includingSecrets : .all
    try format.export(
      selection, of: command.suite, to: file, "\(command.name) export",
      nesting: invocation.has(nested) ? Defaults.DeclaredNames(command.keys) : nil)
  }

  private static let importFile = Verb(
    name: "import", operands: "FILE", count: 1...1, options: [.format, .dryRun, replace],
    summary: "import the settings of a file, all or none; - is standard input"
  ) { command, invocation in
    let file = invocation.operands[0]
    let (selection, entries) = try command.content(of: file, as: invocation[.format])
    let mode = invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    if invocation.has(.dryRun) {
      let differences = try command.explainingPath(file) {
        try command.suite.previewImport(selection, from: entries, by: mode)
      }
      try differences.requireAcceptance(of: file)
      for difference in differences { command.print(difference) }
      command.tellUnknownNames(of: entries)
      return command.tellOverriddenNames(among: differences.map(\.name))
    }
    let report = try command.explainingPath(file) {
      do throws(Defaults.SuiteError) {
        return try command.suite.importEntries(selection, from: entries, by: mode)
      } catch {
        // The error is about the first rejected entry; print the others, too.
        if error.key != nil, error.code != .unwritable {
          try command.suite.previewImport(selection, from: entries, by: mode)
            .requireAcceptance(of: file)
        }
        throw error
      }
    }
    try command.save()
    command.tellUnknownNames(of: entries)
    for line in "\(report)".split(separator: "\n") { Console.printMessage(String(line)) }
    command.tellOverriddenNames(among: report.taken.sorted())
  }

  private static let diff = Verb(
    name: "diff", operands: "FILE", count: 1...1, options: [.format],
    summary: "compare the settings with those in a file; the status is 1 if they differ"
  ) { command, invocation in
    let file = invocation.operands[0]
    let (selection, entries) = try command.content(of: file, as: invocation[.format])
    // The changes that an import would make, and the settings that it would skip.
    let differences = try command.explainingPath(file) {
      try command.suite.previewImport(
        selection, from: entries, by: .replace, comparesValuesInEffect: true)
    }
    for difference in differences { command.print(difference) }
    let unknown = command.unknownNames(of: entries)
      .filter { command.suite.entry(named: $0.name) != entries[$0.name] }
    for name in unknown {
      command.printChange(
        of: name.name, orOf: name.nearest, from: command.suite.entry(named: name.name),
        to: entries[name.name], because: command.skipping(name))
    }
    guard differences.isEmpty, unknown.isEmpty else {
      throw Defaults.CommandError("", status: 1)
    }
  }
}

extension Defaults.Command {
  /// Returns the settings that an import of a file changes, and the file's entries by their full
  /// names, migrated to the current version.
  fileprivate func content(
    of file: String, as format: String?
  ) throws -> (Defaults.Selection, [String: Defaults.PropertyListValue]) {
    let data = try Input.content(of: file)
    let format = try FileFormat(format, file: file, data)
    let entries = try entries(in: data, format, of: file)
    let selection = Defaults.Selection.keys(keys)
    return (selection, format == .json ? selection.entries(ofDecimals: entries) : entries)
  }

  private func entries(
    in data: Data, _ format: FileFormat, of file: String
  ) throws -> [String: Defaults.PropertyListValue] {
    try explainingPath(file) { () throws(Defaults.SuiteError) in
      let entries: [String: Defaults.PropertyListValue]
      do {
        entries = try format.decode(data)
      } catch {
        let reason = (error as? Defaults.ConversionError)?.description(in: data) ?? "\(error)"
        throw Defaults.SuiteError(.malformed, reason)
      }
      let (flat, ambiguities) = Defaults.DeclaredNames(keys).flattened(entries)
      for (name, reason) in ambiguities.sorted(by: { $0.key < $1.key }) {
        Console.printError("\(file): \(name): \(reason)")
      }
      return try suite.migratedForImport(flat)
    }
  }

  /// Runs a body, and adds the path of an imported file to errors about its content. Errors of the
  /// settings file or of a cluster are unchanged.
  fileprivate func explainingPath<Result>(_ file: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch var error as Defaults.SuiteError {
      let isOfContent = error.key != nil || Self.codesOfContent.contains(error.code)
      if error.path == nil, isOfContent { error.path = file }
      throw error
    }
  }

  /// The codes of errors about the whole content of a file.
  private static let codesOfContent: Set<Defaults.SuiteError.Code> = [
    .malformed, .newerEntries, .undecodable, .migrationFailed,
  ]

  /// The names in a file that no setting has. An import skips them.
  fileprivate func unknownNames(
    of entries: [String: Defaults.PropertyListValue]
  ) -> [Defaults.UnknownName] {
    Defaults.UnknownName.all(in: Set(entries.keys), declaring: keys)
  }

  fileprivate func skipping(_ name: Defaults.UnknownName) -> String {
    "skipped: no setting has this name" + (name.nearest.map { " (did you mean \($0)?)" } ?? "")
  }

  fileprivate func tellUnknownNames(of entries: [String: Defaults.PropertyListValue]) {
    for name in unknownNames(of: entries) {
      Console.printError("\(name.name): \(skipping(name))")
    }
  }

  /// Prints which of the imported settings have no effect because another layer overrides them.
  fileprivate func tellOverriddenNames(among names: [String]) {
    for name in names {
      guard let key = keys.first(where: { $0.name == name }) else { continue }
      tellWhetherShadowed(key)
    }
  }

  /// Prints how an import changes a setting, or why it rejects the value.
  fileprivate func print(_ difference: Defaults.ImportDifference) {
    printChange(
      of: difference.name, from: difference.old, to: difference.new,
      because: difference.refusal.map { "rejected: \($0.reason)" })
  }

  /// Prints how an entry changes. If its name is a misspelling of a secret's name, `intended`, the
  /// values are redacted.
  fileprivate func printChange(
    of name: String, orOf intended: String? = nil, from old: Defaults.PropertyListValue?,
    to new: Defaults.PropertyListValue?, because reason: String?
  ) {
    let key = keys.first { $0.name == name }
    let isSecret = [name, intended].compactMap(\.self).contains(where: isSecretName)
    let texts = [old, new].map { entry -> String in
      guard let entry else { return "(none)" }
      if isSecret { return "(secret)" }
      return visible(key?.text(showing: entry) ?? Defaults.jsonText(of: entry))
    }
    let words = reason.map { " (\($0))" } ?? ""
    Console.print("\(name): \(texts[0]) -> \(texts[1])\(words)", inColour: true)
  }
}

extension Defaults.Command {
  /// Whether a name is that of a secret setting.
  private func isSecretName(_ name: String) -> Bool {
    suite.support.isSecret(name) || keys.contains { $0.name == name && $0.isSecret }
  }
}

extension [Defaults.ImportDifference] {
  /// Throws if an import of the file would throw. Prints all rejections; the last is the error.
  package func requireAcceptance(of file: String) throws(Defaults.CommandError) {
    let refusals = compactMap(\.refusal).map { refusal in
      var refusal = refusal
      refusal.path = file
      return Defaults.CommandError(refusal)
    }
    guard let first = refusals.first, let last = refusals.last else { return }
    for refusal in refusals.dropLast() { Console.printError(refusal) }
    throw Defaults.CommandError(last.description, status: first.status)
  }
}

/// The formats of a file of settings.
package enum FileFormat: Defaults.ExchangeFormat {
  case json, xml, binary

  /// The format of this name. Without a name the file's extension decides, then its content.
  package init(_ name: String?, file: String?, _ data: Data? = nil) throws(UsageError) {
    switch name {
    // Decoding allows comments, and JSON without comments is JSONC, too.
    case "json", "jsonc": self = .json
    case "plist", "xml": self = .xml
    case "binary": self = .binary
    case let name?:
      throw UsageError(
        unknown: "format", name, known: ["json", "jsonc", "plist", "binary"])
    case nil:
      if file?.hasSuffix(".json") == true || file?.hasSuffix(".jsonc") == true {
        self = .json
        return
      }
      self = data.map(Defaults.FileSource.isJSON) == true ? .json : .xml
    }
  }

  /// Exports to a file or to standard output. If XML can't hold an entry, the error says what to
  /// type. `command` is the command without its operands. With `names`, dotted names are nested.
  package func export(
    _ selection: Defaults.Selection, of suite: some Defaults.Suite, to file: String?,
    _ command: String, nesting names: Defaults.DeclaredNames? = nil
  ) throws {
    let format = NestingFormat(format: self, names: names)
    do throws(Defaults.SuiteError) {
      guard let file, file != "-" else {
        return Console.printExactly(try suite.exportData(selection, as: format))
      }
      try suite.export(selection, to: URL(filePath: file), as: format)
    } catch {
      guard error.code == .unrepresentable, self == .xml else { throw error }
      var error = error
      let words = ([command] + (file.map { [ShellWords.quoted($0)] } ?? [])).joined(separator: " ")
      // The library's advice is for programmers. The user needs an option of the command.
      error.reason.replace(/(;|, or)( use)? format: \.binary/, with: "")
      error.reason += ". `\(words) --as binary` or `--as json` exports it exactly"
      throw error
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
    case .json: try Defaults.JSONFormat(allowsComments: true).decode(data)
    case .xml, .binary: try Defaults.PropertyListFormat.decode(data).entries
    }
  }
}

/// A format whose files have dotted names in nested dictionaries.
private struct NestingFormat: Defaults.ExchangeFormat {
  let format: FileFormat
  /// nil for a file without nested names.
  let names: Defaults.DeclaredNames?

  func encode(_ entries: [String: Defaults.PropertyListValue]) throws -> Data {
    try format.encode(names?.nested(entries) ?? entries)
  }

  func decode(_ data: Data) throws -> [String: Defaults.PropertyListValue] {
    let entries = try format.decode(data)
    return names?.flattened(entries).entries ?? entries
  }
}
