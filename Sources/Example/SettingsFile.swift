import Defaults
import Foundation

/// The file behind `.standard`, for what somebody may want to know of it.
enum SettingsFile {
  /// Where it is, or will be after the first change.
  static var url: URL {
    get throws {
      // Without a place for a file the library works in memory, and says why in an issue.
      guard let url = Defaults.PropertyListSuite.standard.url else { throw InMemoryError() }
      return url
    }
  }

  /// Waits until all changes are in the file; throws what prevents it.
  static func save() throws {
    _ = try url
    try Defaults.PropertyListSuite.standard.flush(.snapshot)
  }

  struct InMemoryError: Error, CustomStringConvertible {
    let description = "settings can't be kept, there is no place for their file"
  }
}
