import Foundation
import Synchronization

/// What the library does about `fork(2)` without an exec.
///
/// A forked child shares the open files of its parent, and with them the locks on files: it has to
/// open its own. It has no thread but one, and starts those of the library anew when it needs them;
/// and a lock that another thread held at that instant would never be free. So a fork waits until
/// the library's own threads hold none, but not while they write to the disk. Those of the program
/// are the program's affair.
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

  /// The mark of a thread that holds the gate: the number of forks before this process, plus one.
  private static let holder: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the system has no thread-specific data left")
    return key
  }()

  private static var hasGate: Bool { Int(bitPattern: pthread_getspecific(holder)) == forks + 1 }

  private static func takeGate() {
    pthread_rwlock_rdlock(gate)
    pthread_setspecific(holder, UnsafeRawPointer(bitPattern: forks + 1))
  }

  /// Gives the gate back, unless a fork by this thread was what let it go.
  private static func giveGateBack() {
    guard hasGate else { return }
    pthread_setspecific(holder, nil)
    pthread_rwlock_unlock(gate)
  }

  /// Runs work of one of the library's own threads, which a fork waits for.
  static func inBackground(_ body: () -> Void) {
    if hasGate { return body() }
    takeGate()
    defer { giveGateBack() }
    body()
  }

  /// Runs a part of such work that takes its time and holds no lock but one that is `ForkLocal`: a
  /// fork doesn't wait for it. On a thread of the program, nothing else than the body.
  static func pause<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard hasGate else { return try body() }
    giveGateBack()
    let before = forks
    defer { if forks == before { takeGate() } }
    return try body()
  }

  private static func prepare() {
    waitForBackground()
    BackgroundThreads.shared.prepareForFork()
  }

  private static func waitForBackground() {
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
    BackgroundThreads.shared.resumeInParent()
    if isWaitedFor.exchange(false, ordering: .relaxed) { pthread_rwlock_unlock(gate) }
  }

  private static func arriveInChild() {
    count.wrappingAdd(1, ordering: .relaxed)
    isWaitedFor.store(false, ordering: .relaxed)
    // A lock knows its holder by a number that is another one in the child; there is nobody else.
    pthread_rwlock_init(gate, nil)
    BackgroundThreads.shared.resumeInChild()
  }
}

/// A value that a forked child makes anew, since the parent's may belong to a thread that the child
/// doesn't have.
struct ForkLocal<Value: Sendable>: Sendable {
  private let state: Lock<(forks: Int, value: Value)>
  private let make: @Sendable () -> Value

  init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    state = Lock((Forking.forks, make()))
  }

  var value: Value {
    state.withLock { state in
      if state.forks != Forking.forks { state = (Forking.forks, make()) }
      return state.value
    }
  }
}
