#if !canImport(Darwin)
  import Defaults
  import Foundation

  /// Keeps threads out of libcurl when the process exits.
  ///
  /// At exit, the libraries that libcurl uses free their memory, and a thread inside of them would
  /// crash. The gate's `atexit(3)` function runs before that: OpenSSL is configured not to register
  /// one, and GnuTLS frees its memory when it is unloaded.
  enum CurlGate {
    private struct Visit {
      let thread: pthread_t
      let multi: Curl.Handle?
    }

    private struct State {
      var isClosed = false
      var visits: [Visit] = []
    }

    private static let state: Monitor<State> = {
      atexit { CurlGate.close() }
      return Monitor(State())
    }()

    /// Whether the process is exiting. Threads inside must leave without calling libcurl again.
    static var isClosed: Bool { state.lock.withLock { $0.isClosed } }

    /// Runs a body that may use libcurl. Throws if libcurl isn't available or the process is
    /// exiting. At exit, wakes a thread that waits on a multi handle.
    static func enter<Result>(
      waitingBy multi: Curl.Handle? = nil, _ body: (Curl) throws(GatewayError) -> Result
    ) throws(GatewayError) -> Result {
      let thread = pthread_self()
      let isOpen = state.lock.withLock { state in
        if !state.isClosed { state.visits.append(Visit(thread: thread, multi: multi)) }
        return !state.isClosed
      }
      guard isOpen else { throw GatewayError(.unsent, "this process is exiting") }
      defer {
        state.lock.withLock { state in
          let index = state.visits.lastIndex { $0.thread == thread }
          if let index { state.visits.remove(at: index) }
        }
        if isClosed { state.wakeAll() }
      }
      guard let curl = Curl.shared else {
        throw GatewayError(
          .unsent, "libcurl of version 7.68 or later isn't installed (Debian: libcurl4)")
      }
      return try body(curl)
    }

    /// Waits until all other threads have left, for at most one second.
    private static func close() {
      // The threads of the parent don't exist in a forked child.
      if Forking.isChild { return }
      let multis = state.lock.withLock { state in
        state.isClosed = true
        return state.visits.compactMap(\.multi)
      }
      // The handles stay valid until this returns, since only a thread that entered frees them.
      if let curl = multis.isEmpty ? nil : Curl.shared { multis.forEach(curl.wake) }
      let thread = pthread_self()
      state.wait(
        until: MonotonicClock.now(plus: .seconds(1)),
        for: { $0.visits.allSatisfy { $0.thread == thread } }, then: { _, _ in })
    }
  }
#endif
