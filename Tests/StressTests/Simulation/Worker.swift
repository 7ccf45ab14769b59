import Foundation

/// A thread of the system that runs one simulated thread after another.
final class Worker: Sendable {
  private let work = Work()
  /// The number by which the system's mutexes identify the thread.
  let number: Int32

  init() {
    let started = Turnstile()
    let work = work
    let thread = Thread {
      work.number = Self.numberOfThread
      started.open()
      while true {
        work.turn.pass()
        guard let job = work.job else { return }
        job()
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
    started.pass()
    number = work.number
  }

  deinit {
    work.job = nil
    work.turn.open()
  }

  /// Sets the body that the thread runs at its next turn.
  func prepare(_ body: @escaping () -> Void) { work.job = body }

  func giveTurn() { work.turn.open() }

  func awaitTurn() { work.turn.pass() }

  /// The number of the calling thread, read from an error-checking mutex.
  private static var numberOfThread: Int32 {
    #if canImport(Glibc)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      defer { mutex.deallocate() }
      pthread_mutex_init(mutex, &attributes)
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return holder(of: mutex)
    #else
      return 0
    #endif
  }

  /// The number of the thread that holds a mutex; 0 if none does.
  static func holder(of mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
    #if canImport(Glibc)
      return mutex.pointee.__data.__owner
    #else
      return 0
    #endif
  }
}

/// The work of a worker's thread at its next turn. Without work, the thread ends.
private final class Work: @unchecked Sendable {
  // Unchecked, because the fields are set before a turnstile is opened, and read after that.
  var job: (() -> Void)?
  var number: Int32 = 0
  let turn = Turnstile()
}

/// A semaphore of the system.
final class Turnstile: @unchecked Sendable {
  // Unchecked, because the pointer never changes, and POSIX synchronizes its target.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func pass() { while sem_wait(semaphore) != 0 {} }
}
