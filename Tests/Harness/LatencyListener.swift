import Defaults
import Foundation

/// Answers each value that another process sets with the time of the handler's call, and each byte
/// written to the plain file with the time of its inotify event.
package struct LatencyListener {
  private let folder: URL
  private let core: Int
  private let parent: Parent

  /// Creates a listener on one core that sends its answers to the parent's pipe.
  package init(folder: URL, core: Int, parent: Parent) {
    self.folder = folder
    self.core = core
    self.parent = parent
  }

  /// Listens until its input ends.
  package func run() throws {
    try Core.tie(to: core)
    let files = try LatencyFiles(folder: folder)
    let observation = Defaults.observe(files.key, options: []) { [parent] change in
      let time = MonotonicTime.now
      parent.tell([change.newValue, time])
    }
    try listenBare(in: files.bareFolder)
    parent.tell([LatencyFiles.ready, 0])
    // There is no input; the parent closes the pipe at the end.
    while parent.receive(byteCount: 1, within: 3_600) != nil {}
    observation.invalidate()
  }

  private func listenBare(in folder: URL) throws {
    #if !canImport(Darwin)
      let descriptor = inotify_init1(CInt(IN_CLOEXEC))
      guard inotify_add_watch(descriptor, folder.path, UInt32(IN_MODIFY)) >= 0 else {
        throw HarnessError("\(folder.path) can't be watched")
      }
      Thread.detachNewThread { [parent] in
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
          while read(descriptor, buffer.baseAddress, buffer.count) > 0 {
            let time = MonotonicTime.now
            parent.tell([LatencyFiles.bare, time])
          }
        }
      }
    #endif
  }
}
