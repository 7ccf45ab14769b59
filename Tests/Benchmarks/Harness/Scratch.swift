import Foundation
import Harness

/// The folder that all files of a run lie in. It is the configuration folder, too, so that neither
/// the settings of this library nor those of Foundation are anybody's own.
struct Scratch: ScratchFolder {
  let folder: URL

  private static let variable = "XDG_CONFIG_HOME"
  private static let prefix = "Benchmarks-"

  /// Runs this program again with a configuration folder of its own, removes the folder, and
  /// returns the exit status; nil if the program has one already.
  ///
  /// Foundation looks for the folder before `main` begins, so that setting the variable is not
  /// enough; and suites that are open work in the folder until the very end of their process.
  static func run() throws -> CInt? {
    if current != nil {
      signal(SIGINT, SIG_DFL)
      return nil
    }
    var path = Array("/tmp/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else {
      throw HarnessError("There can't be a temporary folder")
    }
    let folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Whoever interrupts this one interrupts that one, too.
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

  /// Throws unless Foundation looks for settings in this folder; changes none.
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

  /// Where Foundation keeps the settings of a name.
  func file(ofFoundation name: String) -> URL { folder.appending(path: "\(name).plist") }

  /// The same, in a child.
  static func configuration(_ name: String) throws -> URL {
    guard let folder = current else { throw HarnessError("A child has no folder") }
    return folder.appending(path: "\(name).plist")
  }
}
