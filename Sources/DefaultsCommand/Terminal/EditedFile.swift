import Defaults
import Foundation

/// Where a text is for a person's editor.
///
/// One with secrets is in the user's own folder of the system's memory, where there is one, and is
/// always removed: when the editing ends, by a signal too, and otherwise by the next editing. One
/// without secrets is kept where it can't be stored.
struct EditedFile: Sendable {
  private static let secretPrefix = "settings-secret-"
  private static let name = "settings.json"

  private let folder: PrivateFolder
  private let original: Data
  private let isSecret: Bool

  var path: String { "\(folder.path)/\(Self.name)" }

  /// Makes a folder for the file; the text is that which it is going to have at first.
  init(_ original: Data, isSecret: Bool) throws(Defaults.CommandError) {
    self.original = original
    self.isSecret = isSecret
    let temporary = FileManager.default.temporaryDirectory.path
    let runtime = Self.runtimeFolder
    for parent in Set([temporary, runtime].compactMap(\.self)) {
      PrivateFolder.sweep(parent, prefix: Self.secretPrefix)
    }
    if isSecret {
      folder = try PrivateFolder(in: runtime ?? temporary, prefix: Self.secretPrefix)
    } else {
      folder = try PrivateFolder(in: temporary, prefix: "settings-")
    }
  }

  /// The folder of the XDG Base Directory Specification for what mustn't outlive the session, which
  /// is in memory; nil unless it is the user's and closed to others.
  private static var runtimeFolder: String? {
    guard let path = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], path.hasPrefix("/")
    else { return nil }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o777 == 0o700
    else { return nil }
    return path
  }

  func write(_ data: Data) throws(Defaults.CommandError) {
    try folder.write(data, to: Self.name)
  }

  func remove() { folder.remove() }

  /// Whether there is a file, and not something else.
  var isThere: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  /// Removes the file, unless it has something without secrets that a person has written; returns
  /// what became of that, nil if there is nothing.
  func end() -> String? {
    let isWritten =
      isThere && FileManager.default.contents(atPath: path).map { $0 != original } ?? true
    guard isWritten, !isSecret else {
      remove()
      return isWritten ? "what you wrote isn't kept, for it shows secrets" : nil
    }
    return "what you wrote is kept in \(path)"
  }
}
