import Foundation
import Synchronization

/// A child process, usually this program in another role.
///
/// Its standard output and input are pipes unless they are given. The process is killed when this
/// object is released.
package final class Child {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(by: Int32)

    /// The status that a shell reports.
    package var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  package let id: pid_t
  package let output: LineReader
  private var input: Descriptor?
  private var ending: Ending?

  private static let running = Mutex<Set<pid_t>>([])

  /// This program.
  package static let program = Bundle.main.executablePath ?? CommandLine.arguments[0]

  /// Starts a process with the environment of this one and additions. A process that prints nothing
  /// for `patience` seconds hangs.
  package init(
    _ arguments: [String], executable: String = Child.program,
    environment: [String: String] = [:], input: Descriptor? = nil, output: Descriptor? = nil,
    patience: Double = LineReader.limit
  ) throws {
    let inputPipe = try Descriptor.pipe()
    let outputPipe = try Descriptor.pipe()
    let environment = ProcessInfo.processInfo.environment
      // A trap must exit immediately, without printing a stack trace.
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .merging(environment) { $1 }
    id = try Self.spawn(
      executable, arguments, environment,
      input: input ?? inputPipe.reading, output: output ?? outputPipe.writing)
    self.input = inputPipe.writing
    self.output = LineReader(outputPipe.reading, patience: patience)
  }

  deinit {
    kill()
    wait()
  }

  /// Kills all running children, and prevents further starts.
  package static func killAllForGood() {
    Descriptor.inheritance.lock()
    running.withLock { for id in $0 { Foundation.kill(id, SIGKILL) } }
  }

  /// Starts a program with exactly this environment. It inherits the standard files that aren't
  /// given. The caller must wait for its end.
  ///
  /// Not Foundation's `Process`: on Linux, it copies 256 bytes of each entry of `/proc/self/fd`,
  /// also beyond the end of its buffer (swift-corelibs-foundation #5472). With more than 1,354 open
  /// files, as in a run of all tests, that sometimes reads unmapped memory.
  package static func spawn(
    _ executable: String, _ arguments: [String], _ environment: [String: String],
    input: Descriptor? = nil, output: Descriptor? = nil, error: Descriptor? = nil
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (file, number) in [(input, 0), (output, 1), (error, 2)] {
      if let file { posix_spawn_file_actions_adddup2(&actions, file.number, CInt(number)) }
    }
    #if !canImport(Darwin)
      // Another thread may have opened a file and not marked it yet as one that children don't
      // inherit. The system's header doesn't show this function to Swift.
      typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
      let closeFrom = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addclosefrom_np")
      if let closeFrom { _ = unsafeBitCast(closeFrom, to: CloseFrom.self)(&actions, 3) }
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process may ignore signals that are sent to the child, and a thread of a queue blocks
    // them. A child would inherit both.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + settings { free(text) } }
    Descriptor.inheritance.lock()
    defer { Descriptor.inheritance.unlock() }
    var id: pid_t = 0
    let result = withExtendedLifetime((input, output, error)) {
      posix_spawn(&id, executable, &actions, &attributes, &words, &settings)
    }
    guard result == 0 else {
      throw HarnessError(
        "\(executable) can't be started: \(String(cString: strerror(result)))")
    }
    let new = id
    _ = running.withLock { $0.insert(new) }
    return id
  }

  /// Writes to its standard input.
  package func send(_ text: String) { input?.write(text) }

  /// Closes its standard input.
  package func closeInput() { input = nil }

  /// Kills the process, unless its end was waited for.
  package func kill() {
    if ending == nil { Foundation.kill(id, SIGKILL) }
  }

  /// Resumes the process after a stop.
  package func resume() {
    if ending == nil { Foundation.kill(id, SIGCONT) }
  }

  /// Waits until the process stops; false if it ends instead.
  package func waitForStop() -> Bool {
    if ending != nil { return false }
    var status: CInt = 0
    while waitpid(id, &status, WUNTRACED) < 0, errno == EINTR {}
    // The low byte of a stopped process is 0x7f (`WIFSTOPPED`).
    if status & 0xff == 0x7f { return true }
    ending = Self.ending(of: id, status)
    return false
  }

  /// Waits for its end.
  @discardableResult
  package func wait() -> Ending {
    if let ending { return ending }
    let ending = Self.ending(of: id)
    self.ending = ending
    return ending
  }

  /// Waits for the end of a spawned program.
  package static func ending(of id: pid_t) -> Ending {
    var status: CInt = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return ending(of: id, status)
  }

  private static func ending(of id: pid_t, _ status: CInt) -> Ending {
    _ = running.withLock { $0.remove(id) }
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(by: signal)
  }
}
