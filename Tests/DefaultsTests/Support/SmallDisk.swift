import Foundation
import Harness

/// A disk of a few kilobytes in memory, mounted in a folder of a test's own.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`. Mounting takes the superuser,
/// and a machine that lets him.
final class SmallDisk: Sendable {
  let folder: TemporaryFolder
  private let disk: MemoryDisk

  /// Whether this machine can have one.
  static let isAvailable = (try? SmallDisk()) != nil

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("disk")
    disk = try MemoryDisk(at: folder["disk"], size: "256k")
  }

  deinit { disk.unmount() }

  /// The path of something on the disk.
  subscript(name: String) -> String { folder["disk/" + name] }

  /// Takes all room that there is.
  func fill() throws {
    try waitForRemovedFiles()
    let ballast = try FileHandle(forWritingTo: make("ballast"))
    defer { try? ballast.close() }
    // Until there is nothing left: a write may also fail for another reason, beside many threads.
    while try status().f_bavail > 0 { try? ballast.write(contentsOf: Data(count: 4_096)) }
  }

  /// Gives the room back.
  func empty() throws {
    // At once, also if a child that another test is about to start has the file open yet.
    guard truncate(self["ballast"], 0) == 0 else { throw POSIXError(.EIO) }
    try FileManager.default.removeItem(atPath: self["ballast"])
  }

  /// Waits until the room of files without a name is free.
  ///
  /// A child that another test is about to start has a removed file open for a moment. If it took
  /// room away from the ballast, that room would come back while the disk has to be full.
  private func waitForRemovedFiles() throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      let status = try status()
      if Int(status.f_blocks - status.f_bfree) * Int(status.f_frsize) <= (try sizeOfFiles()) {
        return
      }
      sched_yield()
    }
    throw NoRoom()
  }

  /// The room of removed files didn't become free, so that a filled disk would not be full.
  private struct NoRoom: Error, CustomStringConvertible {
    let description = "The disk still holds removed files after 20 s"
  }

  /// The room that the files with a name take.
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
