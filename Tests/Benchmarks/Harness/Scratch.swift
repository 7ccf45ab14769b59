import Foundation
import Harness

/// The folder for all files of a run. It is also the configuration folder, so that neither library
/// reads or changes the user's own settings.
struct Scratch: ScratchFolder {
  let folder: URL

  private static let variable = "XDG_CONFIG_HOME"
  private static let prefix = "Benchmarks-"

  /// Runs this program again with its own configuration folder, removes the folder, and returns the
  /// exit status; nil if the program already has one.
  ///
  /// Foundation looks up the folder before `main`, so setting the variable isn't sufficient. Also,
  /// open suites use the folder until the very end of their process.
  static func run() throws -> CInt? {
    if current != nil {
      signal(SIGINT, SIG_DFL)
      return nil
    }
    var path = Array("/tmp/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else {
      throw HarnessError("The temporary folder can't be created")
    }
    let folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // An interrupt reaches the child, too.
    signal(SIGINT, SIG_IGN)
    let id = try Child.spawn(
      Child.program, Array(CommandLine.arguments.dropFirst()),
      ProcessInfo.processInfo.environment.merging([variable: folder]) { $1 })
    return Child.ending(of: id).status
  }

  /// The folder that the program was started with.
  private static var current: URL? {
    guard let path = ProcessInfo.processInfo.environment[variable] else { return nil }
    let url = URL(filePath: path, directoryHint: .isDirectory)
    return url.lastPathComponent.hasPrefix(prefix) ? url : nil
  }

  /// The folder of this run.
  init() throws {
    guard let folder = Self.current else { throw HarnessError("There is no folder") }
    self.folder = folder
    try requirePrivacy()
  }

  /// Throws unless Foundation reads settings from this folder. Changes none.
  private func requirePrivacy() throws {
    #if !canImport(Darwin)
      let list = try PropertyListSerialization.data(
        fromPropertyList: ["isPrivate": true], format: .xml, options: 0)
      try list.write(to: file(ofFoundation: "privacy"))
      guard try FoundationSettings("privacy").userDefaults.bool(forKey: "isPrivate") else {
        throw HarnessError("Foundation doesn't keep its settings in \(folder.path)")
      }
    #endif
  }

  /// The file of Foundation's settings with a name.
  func file(ofFoundation name: String) -> URL { folder.appending(path: "\(name).plist") }

  /// The file of Foundation's settings with a name, in a child.
  static func configuration(_ name: String) throws -> URL {
    guard let folder = current else { throw HarnessError("A child has no folder") }
    return folder.appending(path: "\(name).plist")
  }
}
