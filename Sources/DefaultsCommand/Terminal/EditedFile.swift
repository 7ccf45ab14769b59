import Defaults
import Foundation

/// The file that the user's editor opens.
///
/// A file with secrets is in the user's runtime folder in memory, if there is one. It is always
/// removed: at the end of editing, at a signal, or else by the next editing. A file without secrets
/// is kept if it can't be stored.
struct EditedFile: Sendable {
  private static let secretPrefix = "settings-secret-"
  private static let name = "settings.json"

  private let folder: PrivateFolder
  private let original: Data
  private let isSecret: Bool

  var path: String { "\(folder.path)/\(Self.name)" }

  /// Creates a folder for the file, which will have `original` as its first content.
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

  /// `XDG_RUNTIME_DIR`, which is in memory and removed after the session; nil unless only the user
  /// can access it.
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

  /// Whether the path is a regular file.
  var isThere: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  /// Removes the file, except for changed text without secrets. Returns a message about what
  /// happened to changed text, or nil if nothing was changed.
  func end() -> String? {
    let isWritten =
      isThere && FileManager.default.contents(atPath: path).map { $0 != original } ?? true
    guard isWritten, !isSecret else {
      remove()
      return isWritten ? "your text was removed because it shows secrets" : nil
    }
    return "your text is kept in \(path)"
  }
}
