import Defaults
import Foundation

/// What the two processes share: a suite, and a plain file that lies in another folder, so that
/// neither disturbs the other.
struct LatencyFiles {
  let suite: Defaults.PropertyListSuite
  let key: Defaults.Key<Int>
  let bareFolder: URL
  let bareFile: CInt

  /// What the listener tells: which value it got, and when.
  struct Answer {
    var value: Int
    var time: Int

    /// The values that weren't set.
    static let ready = -1
    static let bare = -2

    /// Tells the sender.
    func send() {
      let count = withUnsafeBytes(of: self) { write(1, $0.baseAddress, $0.count) }
      // Nobody is there to hear it.
      if count < MemoryLayout<Self>.size { _exit(3) }
    }

    /// When the listener got a value; throws if it doesn't in time.
    static func time(of value: Int) throws -> Int {
      var answer = Answer(value: 0, time: 0)
      while true {
        var wanted = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        let size = MemoryLayout<Self>.size
        guard poll(&wanted, 1, 10_000) > 0,
          withUnsafeMutableBytes(of: &answer, { read(0, $0.baseAddress, size) }) == size
        else { throw BenchmarkError("A change didn't arrive in 10 s") }
        if answer.value == value { return answer.time }
      }
    }
  }

  init(folder: URL) throws {
    suite = try Defaults.PropertyListSuite(url: folder.appending(path: "Defaults.plist"))
    key = Defaults.Key("time", default: 0, suite: suite)
    bareFolder = folder.appending(path: "bare")
    try FileManager.default.createDirectory(at: bareFolder, withIntermediateDirectories: true)
    let path = bareFolder.appending(path: "file").path
    bareFile = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    if bareFile < 0 { throw BenchmarkError("\(path) can't be opened") }
  }
}
