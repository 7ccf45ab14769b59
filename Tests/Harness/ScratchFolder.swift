import Foundation

/// A folder for all files of a run, with a folder for each part.
package protocol ScratchFolder {
  var folder: URL { get }
}

extension ScratchFolder {
  /// Creates a new folder in it.
  package func newFolder(_ name: String) throws -> URL {
    let new = folder.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: new, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return new
  }

  package func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
