import Foundation

/// A small disk in memory, mounted at a folder.
///
/// Mounting requires the superuser, and a machine that permits it.
package struct MemoryDisk: Sendable {
  /// The folder where it is mounted.
  package let path: String

  /// Mounts a disk at an existing folder. `size` has the form of `mount`, such as `256k`. Throws
  /// EPERM if mounting isn't permitted.
  package init(at path: String, size: String) throws {
    self.path = path
    #if os(Linux)
      guard geteuid() == 0, Self.mount(path, size) else { throw POSIXError(.EPERM) }
    #else
      throw POSIXError(.ENOTSUP)
    #endif
  }

  /// Unmounts the disk and discards its content.
  package func unmount() {
    #if os(Linux)
      typealias Unmount = @convention(c) (UnsafePointer<CChar>, CInt) -> CInt
      guard let symbol = dlsym(nil, "umount2") else { return }
      // MNT_DETACH, since a process may still have a file open.
      _ = unsafeBitCast(symbol, to: Unmount.self)(path, 2)
    #endif
  }

  #if os(Linux)
    // Swift's module of the C library doesn't include sys/mount.h.
    private static func mount(_ path: String, _ size: String) -> Bool {
      typealias Mount =
        @convention(c) (
          UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UInt,
          UnsafePointer<CChar>
        ) -> CInt
      guard let symbol = dlsym(nil, "mount") else { return false }
      // The signature is that of mount(2).
      return unsafeBitCast(symbol, to: Mount.self)(
        "none", path, "tmpfs", 0, "size=\(size),mode=700") == 0
    }
  #endif
}
