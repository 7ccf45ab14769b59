import Foundation

/// The folder that all files of a run lie in, under the system's temporary folder.
final class Scratch: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "Torture-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Makes a new folder in it.
  func newFolder(_ name: String) throws -> URL {
    let new = folder.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: new, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return new
  }

  func remove(_ url: URL) {
    try? FileManager.default.removeItem(at: url)
  }

  func removeAll() { remove(folder) }
}
