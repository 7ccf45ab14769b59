import Foundation

/// Tells a child that was forked without an exec from the process that it was forked from.
///
/// The child has the memory of its parent, but none of the library's threads, and shares the open
/// files with it, and so the locks on them: to give a lock back in the child takes it from the
/// parent. So the library reads in the child, and changes nothing.
package enum Forking {
  /// The process in which the library was used first.
  private static let process = getpid()

  /// Whether this process is a forked child of the one in which the library was used first.
  ///
  /// Takes no lock: another thread of the parent may have held that when it forked.
  package static var isChild: Bool { getpid() != process }
}
