import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many forks lie between this process and the one that loaded the library.
///
/// A forked child shares the open files of its parent, and with them the locks on files: it has to
/// open its own. It has no thread but one, so nothing happens in the background.
enum ForkCount {
  private static let count = Atomic<Int>(0)

  private static let isCounting: Bool = {
    pthread_atfork(nil, nil) { ForkCount.count.wrappingAdd(1, ordering: .relaxed) }
    return true
  }()

  static var current: Int {
    _ = isCounting
    return count.load(ordering: .relaxed)
  }
}
