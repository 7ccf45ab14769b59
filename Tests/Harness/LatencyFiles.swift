import Defaults
import Foundation

/// The files that the two processes of a latency measurement share: a suite, and a plain file in
/// another folder, so that neither affects the other.
struct LatencyFiles {
  let suite: Defaults.PropertyListSuite
  let key: Defaults.Key<Int>
  let bareFolder: URL
  let bareFile: Descriptor

  /// The size of a listener's message: the received value and its time.
  static let messageSize = 2 * MemoryLayout<Int>.size
  /// The values that aren't times.
  static let ready = -1
  static let bare = -2

  init(folder: URL) throws {
    suite = try Defaults.PropertyListSuite(url: folder.appending(path: "Defaults.plist"))
    key = Defaults.Key("time", default: 0, suite: suite)
    bareFolder = folder.appending(path: "bare")
    try FileManager.default.createDirectory(at: bareFolder, withIntermediateDirectories: true)
    let file = bareFolder.appending(path: "file")
    bareFile = Descriptor(open(file.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600))
    if bareFile.number < 0 { throw HarnessError("\(file.path) can't be opened") }
  }
}
