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
    let ballast = try FileHandle(forWritingTo: make("ballast"))
    defer { try? ballast.close() }
    // Until there is nothing left: a write may also fail for another reason, beside many threads.
    while try freeBlocks() > 0 { try? ballast.write(contentsOf: Data(count: 4_096)) }
  }

  private func freeBlocks() throws -> UInt {
    var status = statvfs()
    guard statvfs(folder["disk"], &status) == 0 else { throw POSIXError(.EIO) }
    return UInt(status.f_bavail)
  }

  /// Gives the room back.
  func empty() throws {
    try FileManager.default.removeItem(atPath: self["ballast"])
  }

  private func make(_ name: String) throws -> URL {
    guard FileManager.default.createFile(atPath: self[name], contents: nil) else {
      throw POSIXError(.EIO)
    }
    return URL(filePath: self[name])
  }
}
