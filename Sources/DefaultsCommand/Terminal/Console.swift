import Defaults
import Foundation
import Synchronization

/// Standard output and standard error. What is printed is collected until `flush` writes it: at the
/// end of a command, or after each line where somebody follows live.
package enum Console {
  private static let collected = Mutex<[UInt8]>([])

  /// The name by which the program was called; its identifier where the system doesn't say, as on
  /// Linux without `/proc`.
  package static var programName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? FileLocation.identifier
  }

  /// Makes a failing output an error that `flush` throws. Call it before anything opens a file.
  package static func prepare() {
    // Writing to a pipe that nobody reads, or to a file that may not grow, fails instead of killing
    // the program.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // A file that is opened gets the lowest free number. If standard output is closed, that would
    // be its number, and what is printed would go into the file of the settings. So the closed ones
    // are opened in the direction in which they are never used: reading from or writing to them
    // fails as if they were closed.
    for (number, unused) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", unused)
    }
  }

  /// Prints a line, with its control characters escaped.
  package static func print(_ line: String, inColour isColoured: Bool = false) {
    printVisible(escaped(line), inColour: isColoured)
  }

  /// Prints a line with the text of an error or a report in it, which has escapes already.
  package static func printMessage(_ line: String, inColour isColoured: Bool = false) {
    printVisible(escapedMessage(line), inColour: isColoured)
  }

  private static func printVisible(_ line: String, inColour isColoured: Bool) {
    append(isColoured && hasColour ? "\u{1B}[36m\(line)\u{1B}[0m\n" : "\(line)\n")
  }

  /// Prints lines for another program to read, as they are; on a terminal with their control
  /// characters escaped.
  package static func printExactly(_ lines: String) {
    append(isTerminal ? escaped(lines, except: ["\n", "\t"]) : lines)
  }

  /// Prints bytes for another program to read; on a terminal they are shown as text.
  package static func printExactly(_ data: Data) {
    if isTerminal { return printExactly(String(decoding: data, as: UTF8.self)) }
    collected.withLock { $0 += data }
  }

  private static func append(_ text: String) {
    collected.withLock { $0 += text.utf8 }
  }

  /// Writes what was printed; throws if it can't be written, and then forgets it.
  package static func flush() throws(OutputError) {
    // A thread that has the lock now writes what is here, or flushes next. It may be stuck in a full
    // pipe that nobody reads, and waiting for it would keep the program from ending.
    _ = try collected.withLockIfAvailable { bytes throws(OutputError) in
      defer { bytes = [] }
      try write(bytes, to: STDOUT_FILENO)
    }
  }

  package static func printError(_ problem: Any) {
    printToStandardError("\(programName): \(problem)")
  }

  /// Prints a line at once, with its control characters escaped. An error's text has escapes
  /// already; these stay. Where that fails, there is nobody left to say it to.
  package static func printToStandardError(_ line: String) {
    try? write(Array("\(escapedMessage(line))\n".utf8), to: STDERR_FILENO)
  }

  /// Prints a question, on the line on which it is answered.
  package static func printPrompt(_ text: String) {
    try? write(Array(escaped(text, except: ["\n"]).utf8), to: STDERR_FILENO)
  }

  private static func write(_ bytes: [UInt8], to output: Int32) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(output, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another program made the terminal or pipe that both use one that doesn't wait.
        var target = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        _ = poll(&target, 1, -1)
      } else if errno != EINTR {
        throw OutputError(number: errno)
      }
    }
  }

  /// Waits until nobody reads standard output anymore, which is forever if it is a file. Returns
  /// false if the system can't say.
  package static func waitUntilNobodyReads() -> Bool {
    // Without events to wait for, only errors and the other side's end are reported.
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    while poll(&output, 1, -1) < 1 {}
    return output.revents & Int16(POLLERR | POLLHUP) != 0
  }
}

extension Console {
  package static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// How many columns the terminal has that standard output is; nil for a file or pipe, and where
  /// the terminal doesn't say.
  package static var width: Int? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Whether standard output shows colours, and somebody may want to see them.
  private static let hasColour: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let terminal = environment["TERM"] ?? ""
    // https://no-color.org: whatever its value is, but for the empty one.
    let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isTerminal && !isUnwanted && terminal != "" && terminal != "dumb"
  }()
}

/// `write(2)`, which inside of `Console` would be its own method.
private func systemWrite(_ output: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(output, bytes, count)
}

/// Standard output can't be written.
package struct OutputError: Error, CustomStringConvertible {
  package static let brokenPipe = Self(number: EPIPE)

  /// The system's number of what is wrong.
  package let number: Int32

  /// Whether somebody read as much as they wanted to, as in `Example watch | head -1`.
  package var isBrokenPipe: Bool { number == EPIPE }

  package var description: String {
    number == EBADF
      ? "standard output is closed"
      : "standard output can't be written: \(String(cString: strerror(number)))"
  }
}
