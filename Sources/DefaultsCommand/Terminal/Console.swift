import Defaults
import Foundation
import Synchronization

/// Standard output and standard error. Output is buffered until `flush` writes it: at the end of a
/// command, or after each line of a `watch`.
package enum Console {
  private static let collected = Mutex<[UInt8]>([])

  /// The name by which the program was called. Without arguments, the program's identifier.
  package static var programName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? FileLocation.identifier
  }

  /// Turns failing output into an error that `flush` throws. Must be called before the program
  /// opens any file.
  package static func prepare() {
    // Writing to a closed pipe, or beyond the file size limit, fails instead of killing the
    // program.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // A newly opened file gets the lowest free descriptor. If standard output is closed, the
    // settings file would get its descriptor and receive the output. So closed streams are opened
    // in the wrong direction: reads and writes fail as if they were closed.
    for (number, unused) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", unused)
    }
  }

  /// Prints a line and escapes its control characters.
  package static func print(_ line: String, inColour isColoured: Bool = false) {
    printVisible(escaped(line), inColour: isColoured)
  }

  /// Prints a line that contains the already escaped text of an error or a report.
  package static func printMessage(_ line: String, inColour isColoured: Bool = false) {
    printVisible(escapedMessage(line), inColour: isColoured)
  }

  private static func printVisible(_ line: String, inColour isColoured: Bool) {
    append(isColoured && hasColour ? "\u{1B}[36m\(line)\u{1B}[0m\n" : "\(line)\n")
  }

  /// Prints lines unchanged for another program to read. Terminals get escaped control characters.
  package static func printExactly(_ lines: String) {
    append(isTerminal ? escaped(lines, except: ["\n", "\t"]) : lines)
  }

  /// Prints bytes for another program to read. On a terminal, they are shown as text.
  package static func printExactly(_ data: Data) {
    if isTerminal { return printExactly(String(decoding: data, as: UTF8.self)) }
    collected.withLock { $0 += data }
  }

  /// Prints objects as a JSON array with a line for each, for another program to read.
  package static func printExactly(_ objects: [[String: Defaults.PropertyListValue]]) {
    let lines = objects.map { Defaults.jsonText(of: .dictionary($0)) }
    printExactly(lines.isEmpty ? "[]\n" : "[\n  \(lines.joined(separator: ",\n  "))\n]\n")
  }

  private static func append(_ text: String) {
    collected.withLock { $0 += text.utf8 }
  }

  /// Writes the buffered output. If that fails, discards the buffer and throws.
  package static func flush() throws(OutputError) {
    // A thread that holds the lock writes this output, or flushes next. It may be blocked by a full
    // pipe without a reader, and waiting for it would keep the program from ending.
    _ = try collected.withLockIfAvailable { bytes throws(OutputError) in
      defer { bytes = [] }
      try write(bytes, to: STDOUT_FILENO)
    }
  }

  package static func printError(_ problem: Any) {
    printToStandardError("\(programName): \(problem)")
  }

  /// Prints a line immediately and escapes its control characters, except existing escapes in an
  /// error's text. Ignores failure, since it can't be reported anywhere.
  package static func printToStandardError(_ line: String) {
    try? write(Array("\(escapedMessage(line))\n".utf8), to: STDERR_FILENO)
  }

  /// Prints a question. The answer is typed on the same line.
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
        // Another program made the shared terminal or pipe nonblocking.
        var target = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        _ = poll(&target, 1, -1)
      } else if errno != EINTR {
        throw OutputError(number: errno)
      }
    }
  }

  /// Waits until standard output has no reader anymore, which is forever for a file. Returns false
  /// if the system can't tell.
  package static func waitUntilNobodyReads() -> Bool {
    // Without requested events, `poll` reports only errors and a hang-up.
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    while poll(&output, 1, -1) < 1 {}
    return output.revents & Int16(POLLERR | POLLHUP) != 0
  }
}

extension Console {
  package static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// The number of terminal columns; nil if standard output isn't a terminal, or its width is
  /// unknown.
  package static var width: Int? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Whether standard output supports colors, and the user doesn't disable them.
  private static let hasColour: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let terminal = environment["TERM"] ?? ""
    // https://no-color.org: any value except the empty one disables colors.
    let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isTerminal && !isUnwanted && terminal != "" && terminal != "dumb"
  }()
}

/// `write(2)`, which `Console.write` would shadow.
private func systemWrite(_ output: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(output, bytes, count)
}

/// An error of writing to standard output.
package struct OutputError: Error, CustomStringConvertible {
  package static let brokenPipe = Self(number: EPIPE)

  /// The system's error number.
  package let number: Int32

  /// Whether the reader stopped early, as in `Example watch | head -1`.
  package var isBrokenPipe: Bool { number == EPIPE }

  package var description: String {
    number == EBADF
      ? "standard output is closed"
      : "standard output can't be written: \(String(cString: strerror(number)))"
  }
}
