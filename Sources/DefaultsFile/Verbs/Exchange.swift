import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

// The verbs for files of entries.

extension Verb {
  private static let replace = Option(
    name: "--replace", summary: "also remove entries that the file doesn't have")

  static let export = Verb(
    name: "export", operands: "[FILE]", count: 0...1, options: [.format],
    summary: "print all entries or write them to a file, by default as an XML property list"
  ) { place, invocation in
    let suite = try place.read()
    let file = invocation.operands.first
    let format = try FileFormat(invocation[.format], file: file)
    try format.export(
      .whole, of: suite, to: file,
      "\(DefaultsFile.name) \(ShellWords.quoted(place.argument)) export")
  }

  static let importFile = Verb(
    name: "import", operands: "FILE", count: 1...1, options: [.format, .dryRun, replace],
    summary: "import the entries of a file, all or none; - is standard input"
  ) { place, invocation in
    let file = invocation.operands[0]
    let theirs = try entries(in: file, as: invocation[.format])
    let mode = invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    if invocation.has(.dryRun) {
      let differences = try place.previewImport(from: theirs, by: mode)
      try differences.requireAcceptance(of: file)
      return differences.print()
    }
    let suite = try place.open()
    let report = try suite.importEntries(.whole, from: theirs, by: mode)
    try suite.save()
    for line in "\(report)".split(separator: "\n") { Console.printMessage(String(line)) }
  }

  static let diff = Verb(
    name: "diff", operands: "FILE", count: 1...1, options: [.format],
    summary: "compare the entries with those in a file; the status is 1 if they differ"
  ) { place, invocation in
    let file = invocation.operands[0]
    let theirs = try entries(in: file, as: invocation[.format])
    let ours = try place.read().entries
    let differences = Differences(from: ours, to: theirs, removesOthers: true)
    differences.print()
    let versions = [theirs, ours].map { $0[Defaults.versionName] ?? 0 }
    if versions[0] != versions[1] {
      Console.printError(
        "\(file) has version \(versions[0].text), but the settings have version "
          + "\(versions[1].text)")
    }
    guard differences.isEmpty, versions[0] == versions[1] else {
      throw Defaults.CommandError("", status: 1)
    }
  }

  /// The entries of a file, which may be a pipe, or of standard input.
  static func entries(
    in file: String, as format: String? = nil
  ) throws -> [String: PropertyListValue] {
    let data = try Input.content(of: file)
    let known = try FileFormat(format, file: file, data)
    do {
      return try known.decode(data)
    } catch {
      let reason = (error as? ConversionError)?.description(in: data) ?? error.words
      throw SuiteError(.malformed, reason, path: file)
    }
  }

  private static let xml = Option(name: "--xml", summary: "XML, for text editors")
  private static let binary = Option(name: "--binary", summary: "binary, which can hold all values")

  static let convert = Verb(
    name: "convert", options: [xml, binary],
    summary: "write the file itself in another format",
    details: [
      "Programs that have the file open keep writing its old format, so stop them first.",
      "Values that XML can't hold exactly are rejected.",
    ]
  ) { place, invocation in
    guard invocation.has(xml) != invocation.has(binary) else {
      throw UsageError("use either --xml or --binary")
    }
    let format = invocation.has(xml) ? Defaults.PropertyListFormat.xml : .binary
    let suite = try place.open(as: format, mustExist: true)
    try suite.rewrite()
    Console.print("\(place.path) is \(format == .xml ? "XML" : "binary") now")
    for holder in FileHolders(of: [place.path, place.journal]).others {
      Console.printError(
        "\(holder) has the file open and keeps writing its old format")
    }
  }
}

/// The differences between two sets of entries, by name.
struct Differences {
  let changes: [(name: String, old: PropertyListValue?, new: PropertyListValue?)]

  var isEmpty: Bool { changes.isEmpty }

  /// The changes from the current entries to new ones, of entries that an export has.
  init(
    from ours: [String: PropertyListValue], to theirs: [String: PropertyListValue],
    removesOthers: Bool
  ) {
    let names = removesOthers ? Set(theirs.keys).union(ours.keys) : Set(theirs.keys)
    changes = names.filter(Defaults.Selection.whole.allows).sorted()
      .filter { ours[$0] != theirs[$0] }.map { ($0, ours[$0], theirs[$0]) }
  }

  func print() {
    for (name, old, new) in changes {
      Console.print("\(name): \(old.shown) -> \(new.shown)", inColour: true)
    }
  }
}

extension Defaults.Selection {
  /// All entries that another file can have: also secrets and the entries of profiles.
  static let whole = all.includingSecrets.includingProfiles

  /// The same entries, including those of profiles, for a tool that copies whole files.
  var includingProfiles: Self {
    var selection = self
    selection.includesProfiles = true
    return selection
  }
}

extension Place {
  /// The changes that an import would make, also for a file that doesn't exist yet.
  func previewImport(
    _ selection: Defaults.Selection = .whole, from entries: [String: PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws -> [Defaults.ImportDifference] {
    // Uses a copy, since the suite is opened for reading only and would reject all changes.
    let copy = Defaults.MemorySuite(exists ? try read().entries : [:], label: path)
    let data = RawFile(path, followingLinks: true).bytes.map { Data($0) }
    let format = data.flatMap { try? Defaults.PropertyListFormat.decode($0).format } ?? .binary
    return try copy.previewImport(selection, from: entries, by: mode).map { difference in
      guard let new = difference.new else { return difference }
      var difference = difference
      do throws(ConversionError) {
        _ = try format.encode([difference.name: new])
      } catch {
        difference.refusal = SuiteError(
          .unrepresentable, "The entry can't be stored: \(error)", key: difference.name,
          underlying: error)
      }
      return difference
    }
  }
}

extension [Defaults.ImportDifference] {
  func print() {
    for difference in self {
      Console.print(
        "\(difference.name): \(difference.old.shown) -> \(difference.new.shown)", inColour: true)
    }
  }
}
