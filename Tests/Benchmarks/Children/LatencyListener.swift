import Defaults
import Foundation

/// Answers each value that another process sets with the time at which its handler was called, and
/// each byte that is written to the plain file with the time at which inotify told.
struct LatencyListener {
  let folder: URL

  func run() throws {
    let files = try LatencyFiles(folder: folder)
    let observation = Defaults.observe(files.key, options: []) { change in
      LatencyFiles.Answer(value: change.newValue, time: MonotonicTime.now).send()
    }
    try listenBare(in: files.bareFolder)
    LatencyFiles.Answer(value: LatencyFiles.Answer.ready, time: 0).send()
    // Nothing comes; it ends when the parent closes it.
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    observation.invalidate()
  }

  private func listenBare(in folder: URL) throws {
    #if !canImport(Darwin)
      let descriptor = inotify_init1(CInt(IN_CLOEXEC))
      guard inotify_add_watch(descriptor, folder.path, UInt32(IN_MODIFY)) >= 0 else {
        throw BenchmarkError("\(folder.path) can't be watched")
      }
      Thread.detachNewThread {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
          while read(descriptor, buffer.baseAddress, buffer.count) > 0 {
            LatencyFiles.Answer(value: LatencyFiles.Answer.bare, time: MonotonicTime.now).send()
          }
        }
      }
    #endif
  }
}
