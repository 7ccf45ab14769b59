import Defaults
import Foundation

/// A folder of one test with a canonical path; it is removed with the value.
///
/// Keep it in a property of the test suite: every test has its own suite value, which outlives the
/// test. A local constant may be released after its last use, before the test is done with the
/// path.
package final class TemporaryFolder: Sendable {
  /// The folder's path, without symbolic links.
  package let path: String

  package init() throws {
    // Foundation's resolution of links removes /private on macOS.
    guard let real = realpath(FileManager.default.temporaryDirectory.path, nil) else {
      throw Errno(.ENOENT)
    }
    defer { free(real) }
    path = String(cString: real) + "/DefaultsTests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // An ordinary user can't empty a folder whose write permission a test removed.
    for name in FileManager.default.enumerator(atPath: path) ?? .init() {
      guard let name = name as? String else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: self[name])
      guard attributes?[.type] as? FileAttributeType == .typeDirectory else { continue }
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: self[name])
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in the folder.
  package subscript(name: String) -> String { path + "/" + name }

  /// The URL of a name in the folder.
  package func url(_ name: String) -> URL { URL(filePath: self[name]) }

  /// The names in the folder or in a subfolder, sorted.
  package func names(in folder: String = ".") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: self[folder]).sorted()
  }

  /// The entries of a copy of a suite's file, as another program reads them or, with a copy of the
  /// journal, as another process reads them that opens the suite. The copies have their own state.
  package func entries(
    ofSuite name: String, withJournal: Bool
  ) throws -> [String: Defaults.PropertyListValue] {
    let copy = "copy-\(UUID().uuidString)"
    try makeFolder(copy)
    // The journal first: if it lacks the latest export, that export has the same entries.
    for name in withJournal ? [name + ".journal", name] : [name] {
      if withJournal, !FileManager.default.fileExists(atPath: self[name]) { continue }
      try FileManager.default.copyItem(at: url(name), to: url("\(copy)/\(name)"))
    }
    return try Defaults.PropertyListSuite(url: url("\(copy)/\(name)"), readOnly: true).entries
  }

  /// Writes a file with these permissions.
  package func write(_ text: String, to name: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: url(name))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self[name])
  }

  /// Writes or replaces a file in one step: unlike with `write`, no program reads an empty file or
  /// a part of the text.
  package func replace(_ name: String, with text: String) throws {
    let new = ".\(UUID().uuidString)"
    try write(text, to: new)
    guard rename(self[new], self[name]) == 0 else { throw Errno(.EIO) }
  }

  /// Overwrites the beginning of a file in place and in one step: unlike with `write`, no program
  /// reads an empty file.
  package func overwrite(_ name: String, with text: String) throws {
    let file = try FileHandle(forWritingTo: url(name))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// Creates a folder and its parents.
  package func makeFolder(_ name: String, mode: Int = 0o700) throws {
    try FileManager.default.createDirectory(
      atPath: self[name], withIntermediateDirectories: true,
      attributes: [.posixPermissions: mode])
  }

  /// Creates a symbolic link with this destination, relative to the link's own folder.
  package func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: self[name], withDestinationPath: destination)
  }

  /// The text of a file, following links.
  package func text(of name: String) throws -> String {
    try String(contentsOf: url(name), encoding: .utf8)
  }

  /// The permission bits of a file or folder.
  package func mode(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: self[name])
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  /// The file type of a name, without following a link.
  package func type(of name: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: self[name])[.type] as? FileAttributeType
  }
}
