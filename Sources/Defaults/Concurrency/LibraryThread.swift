import Foundation

/// Threads of the library, on which none of the program's signals is delivered.
package enum LibraryThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// The smallest size of a stack, in bytes. A system's default is used if it is larger.
  ///
  /// For a value of 256 levels, Foundation's encoder needs up to 512 KiB in a release build, and
  /// more than 1 MiB with the thread sanitizer. Only the used part of a stack takes memory.
  package static let leastStackSize = 4 << 20

  /// The bodies of ``run(_:)``.
  private struct Bodies {
    /// The number of threads that run them.
    var threads = 0
    /// The bodies that wait for one of these threads, the next one first.
    var waiting: [@Sendable () -> Void] = []
  }

  private static let bodies = Lock(Bodies())
  /// The largest number of threads for these bodies. A program may flush from a thousand tasks at
  /// once.
  private static let limit = 64

  /// Runs a body, which may block, on a thread of the library instead of the task's thread. If all
  /// of these threads are in use, it runs after the bodies that were added before.
  package static func run<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      perform {
        continuation.resume(returning: Swift.Result { () throws(Failure) in try body() })
      }
    }
    return try result.get()
  }

  private static func perform(_ body: @escaping @Sendable () -> Void) {
    // A forked child has none of the parent's threads.
    if Forking.isChild { return startOrQueue(body) }
    let mustStart = bodies.withLock { bodies in
      bodies.waiting.append(body)
      if bodies.threads == limit { return false }
      bodies.threads += 1
      return true
    }
    if mustStart { startOrQueue(performWaiting) }
  }

  /// Runs the waiting bodies, one after the other.
  @Sendable
  private static func performWaiting() {
    while let body = nextBody() {
      body()
      // A body may fork. The child's thread leaves the rest to the parent.
      if Forking.isChild { return }
    }
  }

  /// Takes a waiting body. Returns nil if there is none, in which case the thread ends.
  private static func nextBody() -> (@Sendable () -> Void)? {
    bodies.withLock { bodies in
      if !bodies.waiting.isEmpty { return bodies.waiting.removeFirst() }
      bodies.threads -= 1
      return nil
    }
  }

  /// Runs a body on a new thread or, if the system has none left, on a thread of a queue.
  private static func startOrQueue(_ body: @escaping @Sendable () -> Void) {
    if !start(body) { DispatchQueue.global().async(execute: body) }
  }

  /// Runs the body on a new thread.
  ///
  /// - Returns: False if the system has no thread left.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var ignored = sigset_t()
    var signals = sigset_t()
    sigfillset(&ignored)
    // These signals concern the thread itself. If they are blocked, they kill the process.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&ignored, signal)
    }
    // The program's signal handlers run on its own threads, as they would without this library.
    pthread_sigmask(SIG_BLOCK, &ignored, &signals)
    defer { pthread_sigmask(SIG_SETMASK, &signals, nil) }
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    var size = 0
    if pthread_attr_getstacksize(&attributes, &size) != 0 || size < leastStackSize {
      pthread_attr_setstacksize(&attributes, leastStackSize)
    }
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        // On Linux the argument is optional.
        let argument: UnsafeMutableRawPointer? = argument
        guard let argument else { return nil }
        #if canImport(Darwin)
          pthread_setname_np("Defaults")
          pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #endif
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }
}
