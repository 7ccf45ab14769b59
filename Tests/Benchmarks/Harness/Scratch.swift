import Foundation

/// The folder that all files of a run lie in. It is the configuration folder, too, so that neither
/// the settings of this library nor those of Foundation are anybody's own.
struct Scratch {
  let folder: URL
  private static let variable = "XDG_CONFIG_HOME"
  private static let ofRun = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appending(path: "Benchmarks-\(UUID().uuidString)", directoryHint: .isDirectory)

  /// Makes the folder, which is removed at exit; has to be called before anything asks for
  /// settings.
  init() throws {
    folder = Self.ofRun
    // Suites that are open write their files at exit, too: before this, since they are opened
    // after it.
    atexit { try? FileManager.default.removeItem(at: Scratch.ofRun) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    setenv(Self.variable, folder.path, 1)
    try requirePrivacy()
  }

  /// Throws unless Foundation's settings lie in this folder.
  private func requirePrivacy() throws {
    #if !canImport(Darwin)
      let peer = try FoundationSettings("privacy")
      peer.userDefaults.set(true, forKey: "isPrivate")
      peer.userDefaults.synchronize()
      guard FileManager.default.fileExists(atPath: file(ofFoundation: "privacy").path) else {
        throw BenchmarkError("Foundation doesn't keep its settings in \(folder.path)")
      }
    #endif
  }

  /// Where Foundation keeps the settings of a name, in a child.
  static func configuration(_ name: String) throws -> URL {
    guard let folder = ProcessInfo.processInfo.environment[variable] else {
      throw BenchmarkError("A child has no \(variable)")
    }
    return URL(filePath: folder).appending(path: "\(name).plist")
  }

  /// Where Foundation keeps the settings of a name.
  func file(ofFoundation name: String) -> URL { folder.appending(path: "\(name).plist") }

  /// Makes a new folder in it.
  func newFolder(_ name: String) throws -> URL {
    let new = folder.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
    return new
  }

  func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
