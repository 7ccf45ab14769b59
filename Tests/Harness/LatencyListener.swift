import Defaults
import Foundation

/// Answers each value that another process sets with the time at which its handler was called, and
/// each byte that is written to the plain file with the time at which inotify told.
package struct LatencyListener {
  private let folder: URL
  private let core: Int
  private let parent: Parent

  /// A listener on one core, whose answers go where the parent wants them.
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
    // Nothing comes; it ends when the parent closes it.
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
