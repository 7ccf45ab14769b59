import Foundation

/// A small disk in memory, mounted at a folder.
///
/// Mounting takes the superuser, and a machine that lets him.
package struct MemoryDisk: Sendable {
  /// Where it is mounted.
  package let path: String

  /// Mounts it at a folder that is there; `size` as `mount` has it, `256k`. Throws EPERM where that
  /// can't be done.
  package init(at path: String, size: String) throws {
    self.path = path
    #if os(Linux)
      guard geteuid() == 0, Self.mount(path, size) else { throw POSIXError(.EPERM) }
    #else
      throw POSIXError(.ENOTSUP)
    #endif
  }

  /// Takes it away, with all that is on it.
  package func unmount() {
    #if os(Linux)
      typealias Unmount = @convention(c) (UnsafePointer<CChar>, CInt) -> CInt
      guard let symbol = dlsym(nil, "umount2") else { return }
      // MNT_DETACH: somebody may still have a file of it open.
      _ = unsafeBitCast(symbol, to: Unmount.self)(path, 2)
    #endif
  }

  #if os(Linux)
    // sys/mount.h isn't in Swift's module of the C library.
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
