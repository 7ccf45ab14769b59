#if !canImport(Darwin)
  import Defaults
  import Foundation

  /// Lets threads into libcurl until the process exits, and has them leave it then.
  ///
  /// While a process exits, libraries below libcurl free what they have, and a thread that is in one of
  /// them crashes. This stands in the way before: its function of `atexit(3)` runs before theirs, since
  /// OpenSSL is told to have none, and GnuTLS frees its things when it is unloaded.
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

    /// Whether the process exits: who is inside has to leave, without calling libcurl again.
    static var isClosed: Bool { state.lock.withLock { $0.isClosed } }

    /// Runs a body that may use libcurl, or throws if there is none, or the process exits. A thread
    /// that waits by a multi handle is woken when the process exits.
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

    /// Waits until all other threads have left; no longer than a second, should one hang.
    private static func close() {
      // The threads of the parent aren't there.
      if Forking.isChild { return }
      let multis = state.lock.withLock { state in
        state.isClosed = true
        return state.visits.compactMap(\.multi)
      }
      // What is woken is there until this returns: it is dropped by a thread that is let in.
      if let curl = multis.isEmpty ? nil : Curl.shared { multis.forEach(curl.wake) }
      let thread = pthread_self()
      state.wait(
        until: MonotonicClock.now(plus: .seconds(1)),
        for: { $0.visits.allSatisfy { $0.thread == thread } }, then: { _, _ in })
    }
  }
#endif
