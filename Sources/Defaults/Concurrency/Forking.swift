import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the library does about `fork(2)` without an exec.
///
/// A forked child shares the open files of its parent, and with them the locks on files: it has to
/// open its own. It has no thread but one, so nothing happens in the background, and a lock that
/// another thread held at that instant would never be free. So a fork waits until the library's own
/// threads hold none. Those of the program are the program's affair.
enum Forking {
  private static let count = Atomic<Int>(0)
  private static let isWaitedFor = Atomic<Bool>(false)

  /// Held shared by the library's threads while they work, and alone by a thread that forks.
  ///
  /// Unsafe only to the compiler: the pointer never changes, and what it points to is a lock.
  nonisolated(unsafe) private static let gate: UnsafeMutablePointer<pthread_rwlock_t> = {
    let gate = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    gate.initialize(to: pthread_rwlock_t())
    pthread_rwlock_init(gate, nil)
    pthread_atfork({ Forking.prepare() }, { Forking.release() }, { Forking.arriveInChild() })
    return gate
  }()

  /// How many forks lie between this process and the one that loaded the library.
  static var forks: Int {
    _ = gate
    return count.load(ordering: .relaxed)
  }

  /// Runs work of one of the library's own threads.
  static func inBackground(_ body: () -> Void) {
    pthread_rwlock_rdlock(gate)
    defer { pthread_rwlock_unlock(gate) }
    body()
  }

  private static func prepare() {
    // Bounded, since a handler that runs in the background may be what forks.
    for _ in 0..<1_000 {
      if pthread_rwlock_trywrlock(gate) == 0 {
        isWaitedFor.store(true, ordering: .relaxed)
        return
      }
      usleep(1_000)
    }
  }

  private static func release() {
    if isWaitedFor.exchange(false, ordering: .relaxed) { pthread_rwlock_unlock(gate) }
  }

  private static func arriveInChild() {
    count.wrappingAdd(1, ordering: .relaxed)
    isWaitedFor.store(false, ordering: .relaxed)
    // A lock knows its holder by a number that is another one in the child; there is nobody else.
    pthread_rwlock_init(gate, nil)
  }
}
