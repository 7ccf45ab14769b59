import Foundation
import Harness
import Testing

/// A disk of a few kilobytes in memory, mounted in a folder of the test.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`. Mounting needs root and a
/// machine that allows it.
package final class SmallDisk: Sendable {
  package let folder: TemporaryFolder
  private let disk: MemoryDisk

  /// Whether this machine supports it.
  package static let isAvailable = (try? SmallDisk()) != nil

  package init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("disk")
    disk = try MemoryDisk(at: folder["disk"], size: "256k")
  }

  deinit { disk.unmount() }

  /// The path of a file on the disk.
  package subscript(name: String) -> String { folder["disk/" + name] }

  /// Uses up all free space.
  package func fill() throws {
    try waitForRemovedFiles()
    let ballast = try FileHandle(forWritingTo: make("ballast"))
    defer { try? ballast.close() }
    // Until no space is left: with many threads, a write may also fail for another reason.
    while try status().f_bavail > 0 { try? ballast.write(contentsOf: Data(count: 4_096)) }
  }

  /// Frees the space again.
  package func empty() throws {
    // At once, also if a child that another test is starting still has the file open.
    guard truncate(self["ballast"], 0) == 0 else { throw POSIXError(.EIO) }
    try FileManager.default.removeItem(atPath: self["ballast"])
  }

  /// Waits until the space of removed files is free.
  ///
  /// A child that another test is starting has a removed file open for a moment. If its space were
  /// missing from the ballast, it would become free while the disk must be full.
  private func waitForRemovedFiles() throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while ContinuousClock.now < deadline {
      let status = try status()
      if Int(status.f_blocks - status.f_bfree) * Int(status.f_frsize) <= (try sizeOfFiles()) {
        return
      }
      sched_yield()
    }
    throw NoRoom()
  }

  /// The space of removed files didn't become free, so a filled disk wouldn't be full.
  private struct NoRoom: Error, CustomStringConvertible {
    let description = "The disk still holds removed files after ten minutes"
  }

  /// The space used by files with a name.
  private func sizeOfFiles() throws -> Int {
    try folder.names(in: "disk").reduce(0) { size, name in
      var file = stat()
      guard lstat(self[name], &file) == 0 else { throw POSIXError(.EIO) }
      return size + Int(file.st_blocks) * 512
    }
  }

  private func status() throws -> statvfs {
    var status = statvfs()
    guard statvfs(folder["disk"], &status) == 0 else { throw POSIXError(.EIO) }
    return status
  }

  private func make(_ name: String) throws -> URL {
    guard FileManager.default.createFile(atPath: self[name], contents: nil) else {
      throw POSIXError(.EIO)
    }
    return URL(filePath: self[name])
  }
}

extension Trait where Self == ConditionTrait {
  /// Only where a disk in memory can be mounted.
  package static var needsSmallDisk: Self {
    .enabled(
      if: SmallDisk.isAvailable,
      "mounting a disk in memory needs root, and a machine or container that allows it")
  }
}
