import Foundation

/// The library's own threads, which the program doesn't notice: none of its signals is delivered on
/// one of them.
///
/// Not Foundation's `Thread`: at the start of each, that looks at something that is made once. A
/// child that is forked at this instant finds it half made, and waits for that forever.
package enum LibraryThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the body on a new thread; false if the system has none left.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var ignored = sigset_t()
    var signals = sigset_t()
    sigfillset(&ignored)
    // These are about the thread itself, and kill the process if they can't be told.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&ignored, signal)
    }
    // The program's handlers run on its own threads, as they would without this library.
    pthread_sigmask(SIG_BLOCK, &ignored, &signals)
    defer { pthread_sigmask(SIG_SETMASK, &signals, nil) }
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, nil,
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
