import Foundation

/// A disk of a few kilobytes in memory, mounted in a folder of a test's own.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`. Mounting takes the superuser,
/// and a machine that lets him.
final class SmallDisk: Sendable {
  let folder: TemporaryFolder

  /// Whether this machine can have one.
  static let isAvailable = (try? SmallDisk()) != nil

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("disk")
    #if os(Linux)
      guard geteuid() == 0, Self.mount(folder["disk"]) else { throw POSIXError(.EPERM) }
    #else
      throw POSIXError(.ENOTSUP)
    #endif
  }

  deinit {
    #if os(Linux)
      Self.unmount(folder["disk"])
    #endif
  }

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

  #if os(Linux)
    // sys/mount.h isn't in Swift's module of the C library.
    private static func mount(_ path: String) -> Bool {
      typealias Mount =
        @convention(c) (
          UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UInt,
          UnsafePointer<CChar>
        ) -> CInt
      guard let symbol = dlsym(nil, "mount") else { return false }
      // The signature is that of mount(2).
      return unsafeBitCast(symbol, to: Mount.self)(
        "none", path, "tmpfs", 0, "size=256k,mode=700") == 0
    }

    private static func unmount(_ path: String) {
      typealias Unmount = @convention(c) (UnsafePointer<CChar>, CInt) -> CInt
      guard let symbol = dlsym(nil, "umount2") else { return }
      // MNT_DETACH: a suite may still have its journal open.
      _ = unsafeBitCast(symbol, to: Unmount.self)(path, 2)
    }
  #endif
}
