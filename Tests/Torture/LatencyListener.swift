import Defaults
import Foundation

/// Answers each value that another process sets with the time at which its handler was called, and
/// each byte that is written to the plain file with the time at which inotify told.
struct LatencyListener {
  let folder: URL
  let writer: Parent

  func run() throws {
    let files = try LatencyFiles(folder: folder)
    let observation = Defaults.observe(files.key, options: []) { [writer] change in
      let time = MonotonicTime.now
      writer.tell([change.newValue, time])
    }
    try listenBare(in: files.bareFolder)
    writer.tell([LatencyFiles.ready, 0])
    // Nothing comes; it ends when the parent closes it.
    while writer.receive(byteCount: 1, within: 3_600) != nil {}
    observation.invalidate()
  }

  private func listenBare(in folder: URL) throws {
    #if !canImport(Darwin)
      let descriptor = inotify_init1(CInt(IN_CLOEXEC))
      guard inotify_add_watch(descriptor, folder.path, UInt32(IN_MODIFY)) >= 0 else {
        throw TortureError("\(folder.path) can't be watched")
      }
      Thread.detachNewThread { [writer] in
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
          while read(descriptor, buffer.baseAddress, buffer.count) > 0 {
            let time = MonotonicTime.now
            writer.tell([LatencyFiles.bare, time])
          }
        }
      }
    #endif
  }
}
