import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

/// A settings file, and the paths of the library's other files for it.
struct Place {
  /// The argument that names the file.
  let argument: String
  let file: StoredFile

  var path: String { file.path }
  var journal: String { beside(".journal") }

  /// The file of an argument: a path if it contains a slash or ends in `.plist`, `.json` or
  /// `.jsonc`, otherwise the name of a suite, usually that of a program.
  init(_ argument: String) throws {
    guard !argument.isEmpty else { throw UsageError("the path of the file is empty") }
    self.argument = argument
    let isPath = argument.contains("/") || argument.hasSuffix(".plist") || Self.isJSON(argument)
    file = try isPath ? StoredFile(path: argument) : StoredFile(named: argument)
  }

  /// Whether a new file at a path will be JSON.
  static func isJSON(_ path: String) -> Bool {
    path.hasSuffix(".json") || path.hasSuffix(".jsonc")
  }

  /// Whether the file is JSON with comments, or a new one will be.
  var isJSON: Bool {
    guard let bytes = RawFile(path, followingLinks: true).bytes else { return Self.isJSON(path) }
    let data = Data(bytes)
    if data.looksLikeJSON { return true }
    // Damaged JSON.
    return Self.isJSON(path) && (try? Defaults.PropertyListFormat.decode(data)) == nil
  }

  private func beside(_ suffix: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return sibling(named: FileName.joining(name, suffix))
  }

  /// The path of another name in the file's folder.
  func sibling(named name: String) -> String {
    file.folder == "/" ? "/" + name : file.folder + "/" + name
  }

  /// Whether there are settings. A new file's settings may be only in its journal.
  var exists: Bool { RawFile.isThere(path) || RawFile.isThere(journal) }

  /// Opens the suite for reading only. Throws if there are no settings.
  func read() throws -> Defaults.PropertyListSuite {
    try requireSettings()
    return try explaining { () throws(SuiteError) in
      let url = URL(filePath: path)
      if isJSON {
        return try Defaults.PropertyListSuite(
          url: url, format: .jsonc, repairsDamage: false, readOnly: true)
      }
      return try Defaults.PropertyListSuite(url: url, repairsDamage: false, readOnly: true)
    }
  }

  /// Opens the suite for changes. A damaged file is left unchanged.
  func open(
    as format: Defaults.PropertyListFormat? = nil, mustExist: Bool = false
  ) throws -> Defaults.PropertyListSuite {
    if mustExist { try requireSettings() }
    let isJSON = isJSON
    if isJSON, format != nil {
      throw Defaults.CommandError(
        "\(path): it is JSON, so it isn't converted; `export --as plist FILE` writes a copy",
        status: 65)
    }
    return try explaining { () throws(SuiteError) in
      let url = URL(filePath: path)
      if isJSON {
        return try Defaults.PropertyListSuite(url: url, format: .jsonc, repairsDamage: false)
      }
      return try Defaults.PropertyListSuite(url: url, format: format, repairsDamage: false)
    }
  }

  private func requireSettings() throws(Defaults.CommandError) {
    guard exists else {
      throw Defaults.CommandError("\(path): there are no settings here", status: 66)
    }
  }

  private func explaining<Result>(
    _ body: () throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    do {
      return try body()
    } catch {
      guard error.code == .malformed else { throw error }
      var error = error
      error.reason += ". `\(DefaultsFile.name) recover` prints the entries that can still be read"
      throw error
    }
  }
}

extension Defaults.PropertyListSuite {
  /// Waits until all changes are in the file. Throws if they can't be saved.
  func save() throws { try flush(.snapshot) }

  /// The entry of a name that is typed unchanged or as the tool prints it. Throws if there is no
  /// entry.
  func present(_ typed: String) throws(UsageError) -> (name: String, entry: PropertyListValue) {
    guard let name = existingName(typed: typed, in: names), let entry = entry(named: name) else {
      throw UsageError(noEntry: typed, of: names)
    }
    return (name, entry)
  }
}

/// The existing name that the user typed, unchanged or as the tool prints it; nil if there is none.
func existingName(typed: String, in existing: Set<String>) -> String? {
  DefaultsCommand.names(typed: typed).first(where: existing.contains)
}

extension UsageError {
  /// Creates an error for a missing entry, and suggests the nearest name.
  init(noEntry name: String, of names: Set<String>) {
    let nearest = NearestName.of(name, in: names.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
    self.init("there is no entry \"\(name)\"\(nearest)")
  }
}
