import Foundation

/// A thread of the system on which one simulated thread after another runs.
final class Worker: Sendable {
  private let work = Work()
  /// The number that the system's mutexes have of their holder.
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

  /// Has the thread run a body when it gets its turn.
  func prepare(_ body: @escaping () -> Void) { work.job = body }

  func giveTurn() { work.turn.open() }

  func awaitTurn() { work.turn.pass() }

  /// The number of the calling thread, as a mutex shows it that checks for errors.
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

/// What a worker's thread does when it gets its turn; it ends if that is nothing.
private final class Work: @unchecked Sendable {
  // Sendable although unchecked: the fields are set before a turnstile is opened, and read after it
  // was passed.
  var job: (() -> Void)?
  var number: Int32 = 0
  let turn = Turnstile()
}

/// A semaphore of the system.
final class Turnstile: @unchecked Sendable {
  // Sendable although unchecked: the pointer never changes, and POSIX guards what it points to.
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
