import Foundation

/// The folders in which the system searches for programs.
package enum SearchPath {
  /// The first program of this name; nil if there is none.
  package static func program(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { URL(filePath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
