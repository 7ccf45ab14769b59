import Foundation
import Testing

/// A domain of Foundation's `UserDefaults` for one test.
///
/// Its file is in the user's configuration folder, since a process can't move that at run time, and
/// is removed with this object.
final class UserDefaultsDomain: Sendable {
  let name = "DefaultsTests-\(UUID().uuidString)"
  let file: URL

  init() throws {
    let folder =
      ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"].map { URL(filePath: $0) }
      ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = folder.appending(path: "\(name).plist")
  }

  deinit {
    UserDefaults().removePersistentDomain(forName: name)
    try? FileManager.default.removeItem(at: file)
  }

  /// Creates a new object on the domain.
  func open() throws -> UserDefaults {
    try #require(UserDefaults(suiteName: name))
  }

  /// The inode of the file; nil if there is none.
  var fileNumber: Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.intValue
  }
}
