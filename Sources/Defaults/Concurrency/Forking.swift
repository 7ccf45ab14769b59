import Foundation

/// Detects a child process that was forked without an exec.
///
/// The child has the memory of its parent but none of the library's threads. It shares the open
/// files and thus their locks: releasing a lock in the child would release the parent's lock. So in
/// a forked child, the library only reads.
package enum Forking {
  /// The process that used the library first.
  private static let process = getpid()

  /// Whether this process is a forked child of the process that used the library first.
  ///
  /// Takes no lock, since another thread of the parent may have held it during the fork.
  package static var isChild: Bool { getpid() != process }
}
