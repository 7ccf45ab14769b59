import Foundation

/// The folder that all files of a run lie in. It is the configuration folder, too, so that neither
/// the settings of this library nor those of Foundation are anybody's own.
struct Scratch {
  let folder: URL

  private static let variable = "XDG_CONFIG_HOME"
  private static let prefix = "Benchmarks-"

  /// Starts this program anew, with a configuration folder of its own, unless it has one.
  /// Foundation looks for the folder before `main` begins, so that setting the variable is not
  /// enough.
  static func enter() throws {
    if current != nil { return }
    var path = Array("/tmp/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil, setenv(variable, path, 1) == 0,
      let program = Bundle.main.executablePath
    else { throw BenchmarkError("There can't be a temporary folder") }
    var words = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(program, &words)
    throw BenchmarkError("\(program) can't be started anew")
  }

  /// The folder that the program was started with.
  private static var current: URL? {
    guard let path = ProcessInfo.processInfo.environment[variable] else { return nil }
    let url = URL(filePath: path, directoryHint: .isDirectory)
    return url.lastPathComponent.hasPrefix(prefix) ? url : nil
  }

  /// The folder of this run, which is removed at exit.
  init() throws {
    guard let folder = Self.current else { throw BenchmarkError("There is no folder") }
    self.folder = folder
    // Suites that are open write their files at exit, too: before this, since they are opened
    // after it.
    atexit {
      if let folder = Scratch.current { try? FileManager.default.removeItem(at: folder) }
    }
    try requirePrivacy()
  }

  /// Throws unless Foundation looks for settings in this folder; changes none.
  private func requirePrivacy() throws {
    #if !canImport(Darwin)
      let list = try PropertyListSerialization.data(
        fromPropertyList: ["isPrivate": true], format: .xml, options: 0)
      try list.write(to: file(ofFoundation: "privacy"))
      guard try FoundationSettings("privacy").userDefaults.bool(forKey: "isPrivate") else {
        throw BenchmarkError("Foundation doesn't keep its settings in \(folder.path)")
      }
    #endif
  }

  /// Where Foundation keeps the settings of a name.
  func file(ofFoundation name: String) -> URL { folder.appending(path: "\(name).plist") }

  /// The same, in a child.
  static func configuration(_ name: String) throws -> URL {
    guard let folder = current else { throw BenchmarkError("A child has no folder") }
    return folder.appending(path: "\(name).plist")
  }

  /// Makes a new folder in it.
  func newFolder(_ name: String) throws -> URL {
    let new = folder.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
    return new
  }

  func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
