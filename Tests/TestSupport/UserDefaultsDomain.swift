import Foundation
import Testing

/// A domain of Foundation's `UserDefaults` for one test.
///
/// Its file is in the user's configuration folder, since a process can't move that at run time, and
/// is removed with this object.
package final class UserDefaultsDomain: Sendable {
  package let name = "DefaultsTests-\(UUID().uuidString)"
  package let file: URL

  /// Whether `UserDefaults` can store a file for this user. The home folder of some system users
  /// doesn't exist.
  package static let isAvailable: Bool = {
    guard let folder = try? makeFolder() else { return false }
    return access(folder.path, W_OK) == 0
  }()

  package init() throws {
    file = try Self.makeFolder().appending(path: "\(name).plist")
  }

  /// The folder of all files of `UserDefaults`. On Linux, Foundation prefers `HOME` to the home
  /// folder in the password database here, unlike in `homeDirectoryForCurrentUser`.
  private static func makeFolder() throws -> URL {
    #if canImport(Darwin)
      let home = FileManager.default.homeDirectoryForCurrentUser
      return home.appending(path: "Library/Preferences")
    #else
      let environment = ProcessInfo.processInfo.environment
      let folder =
        if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
          URL(filePath: path)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
          URL(filePath: home).appending(path: ".config")
        } else {
          FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
        }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return folder
    #endif
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

extension Trait where Self == ConditionTrait {
  /// Only where `UserDefaults` can store a file.
  package static var needsUserDefaults: Self {
    .enabled(
      if: UserDefaultsDomain.isAvailable,
      "UserDefaults can't store a file: the user has no writable home folder; set XDG_CONFIG_HOME")
  }
}
