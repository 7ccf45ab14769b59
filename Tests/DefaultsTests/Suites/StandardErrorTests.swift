import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Issue lines on standard error", .prompt)
struct StandardErrorTests {
  /// Reports an issue with a descriptor in place of standard error, which the test itself needs at
  /// its end.
  fileprivate static func report(to number: CInt, isLast: Bool = true) {
    let own = dup(STDERR_FILENO)
    precondition(number >= 0 && dup2(number, STDERR_FILENO) == STDERR_FILENO)
    report()
    if isLast { precondition(dup2(own, STDERR_FILENO) == STDERR_FILENO) }
  }

  fileprivate static func report() {
    Defaults.issueHandler(Defaults.Issue(Defaults.SuiteError(.unwritable, "Wörter", path: "/a")))
  }

  @Test("The line of an issue is written in one call")
  func line() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { Self.report() }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").contains("Defaults: /a: Wörter"))
  }

  @Test("If standard error is closed, full or read-only, the program continues")
  func unwritable() async {
    await #expect(processExitsWith: .success) {
      for place in ["/dev/full", "/dev/null"] {
        let flags = place == "/dev/null" ? O_RDONLY : O_WRONLY
        Self.report(to: open(place, flags))
      }
      close(STDERR_FILENO)
      Self.report()
      precondition(fcntl(STDERR_FILENO, F_GETFD) < 0)
    }
  }

  @Test("A broken pipe or socket as standard error raises no signal")
  func brokenPipe() async {
    await #expect(processExitsWith: .success) {
      var mask = sigset_t()
      for isSocket in [false, true] {
        var ends: [CInt] = [-1, -1]
        if isSocket {
          precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        } else {
          precondition(pipe(&ends) == 0)
        }
        close(ends[0])
        letSignalKill(SIGPIPE)
        Self.report(to: ends[1])
        sigpending(&mask)
        precondition(sigismember(&mask, SIGPIPE) == 0)
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        precondition(sigismember(&mask, SIGPIPE) == 0)
      }
    }
  }

  @Test("SIGPIPE by the program's own write to a broken pipe still ends the program")
  func programsSignal() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      var ends: [CInt] = [-1, -1]
      precondition(pipe(&ends) == 0)
      close(ends[0])
      letSignalKill(SIGPIPE)
      Self.report(to: ends[1], isLast: false)
      _ = write(STDERR_FILENO, "x", 1)
    }
  }

  @Test("A SIGPIPE that was pending before an issue is still pending after it")
  func waitingSignal() async {
    await #expect(processExitsWith: .success) {
      var mask = sigset_t()
      sigemptyset(&mask)
      sigaddset(&mask, SIGPIPE)
      precondition(pthread_sigmask(SIG_BLOCK, &mask, nil) == 0 && raise(SIGPIPE) == 0)
      var ends: [CInt] = [-1, -1]
      precondition(pipe(&ends) == 0)
      close(ends[0])
      Self.report(to: ends[1])
      sigpending(&mask)
      precondition(sigismember(&mask, SIGPIPE) == 1)
    }
  }

  @Test("A pipe without a reader blocks an issue only for a moment")
  func fullPipe() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      var ends: [CInt] = [-1, -1]
      precondition(pipe(&ends) == 0)
      precondition(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
      while write(ends[1], "x", 1) == 1 {}
      precondition(fcntl(ends[1], F_SETFL, 0) == 0)
      Self.report(to: ends[1])
    }
  }

  #if canImport(Glibc)
    @Test("Nothing is written if the system can't tell whether standard error is writable")
    func unaskable() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .success) { [path = folder["log"] as String] in
        let log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let own = dup(STDERR_FILENO)
        precondition(log >= 0 && dup2(log, STDERR_FILENO) == STDERR_FILENO)
        // poll(2) accepts no more descriptors than a process may have.
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var usual = rlimit()
        precondition(getrlimit(resource, &usual) == 0)
        var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
        precondition(setrlimit(resource, &none) == 0)
        Self.report()
        precondition(setrlimit(resource, &usual) == 0)
        precondition(dup2(own, STDERR_FILENO) == STDERR_FILENO)
      }
      #expect(try folder.text(of: "log") == "")
    }
  #endif
}

#if canImport(Glibc)
  /// Separate from the others: the limit would also truncate files of a test tool.
  @Suite("Issue lines on standard error at a file size limit", .prompt)
  struct StandardErrorLimitTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A log file at the size limit doesn't end the program")
    func fileSize() async throws {
      await #expect(processExitsWith: .success) { [path = folder["log"] as String] in
        var limit = rlimit(rlim_cur: 4, rlim_max: .max)
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        letSignalKill(SIGXFSZ)
        for _ in 0..<3 {
          StandardErrorTests.report(to: open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600))
        }
      }
      #expect(try folder.text(of: "log") == "Defa")
    }
  }
#endif
