import Foundation
import Testing

/// A domain of Foundation's `UserDefaults` for one test.
///
/// Its file is in the user's configuration folder, since a process can't move that at run time, and
/// is removed with this object.
package final class UserDefaultsDomain: Sendable {
  package let name = "DefaultsTests-\(UUID().uuidString)"
  package let file: URL

  package init() throws {
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
  package func open() throws -> UserDefaults {
    try #require(UserDefaults(suiteName: name))
  }

  /// The inode of the file; nil if there is none.
  package var fileNumber: Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.intValue
  }
}
