import Foundation

/// Detects a child process that was forked without an exec.
///
/// The child has the memory of its parent but none of the library's threads. It shares the open
/// files and thus their locks: releasing a lock in the child would release the parent's lock. So in
/// a forked child, the library only reads.
package enum Forking {
  /// The process that used the library first, if the system can't clear ``mark``.
  private static let process = getpid()

  /// Whether this process is a forked child of the process that used the library first.
  ///
  /// Takes no lock, since another thread of the parent may have held it during the fork.
  package static var isChild: Bool {
    if let mark { return mark.load(as: UInt8.self) == 0 }
    return getpid() != process
  }

  /// A byte that the system clears in a child, which a setter reads in place of a system call; nil
  /// if the system can't do that.
  // Safe: this initializer alone writes the byte, before any other thread has the pointer.
  nonisolated(unsafe) private static let mark: UnsafeRawPointer? = {
    #if os(Linux)
      let size = sysconf(CInt(_SC_PAGESIZE))
      let flags = MAP_PRIVATE | MAP_ANONYMOUS
      guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0), page != MAP_FAILED
      else { return nil }
      // 18 is MADV_WIPEONFORK (`include/uapi/asm-generic/mman-common.h`). An emulator that accepts
      // any advice, even -1, may not know it.
      if madvise(page, size, -1) != 0, madvise(page, size, 18) == 0 {
        page.storeBytes(of: 1, as: UInt8.self)
        return UnsafeRawPointer(page)
      }
      munmap(page, size)
    #endif
    return nil
  }()
}
