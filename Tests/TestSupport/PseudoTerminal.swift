import Foundation
import Harness

/// A terminal without a screen: a test reads the text that a program writes to it.
package final class PseudoTerminal: Sendable {
  /// The path that a program opens to write to the terminal.
  package let path: String
  private let screen: Int32
  /// The end that programs write to, held open so that their text stays when they exit.
  private let line: Int32

  package init() throws {
    // The system's header for this function isn't among those that Swift imports.
    typealias OpenTerminal =
      @convention(c) (
        UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<CChar>?,
        UnsafeRawPointer?, UnsafeRawPointer?
      ) -> Int32
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "openpty") else {
      throw Failure(number: ENOSYS)
    }
    let openTerminal = unsafeBitCast(symbol, to: OpenTerminal.self)
    var (screen, line): (Int32, Int32) = (-1, -1)
    guard openTerminal(&screen, &line, nil, nil, nil) == 0 else { throw Failure(number: errno) }
    for number in [screen, line] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    (self.screen, self.line) = (screen, line)
    var name = [CChar](repeating: 0, count: 256)
    let result = ttyname_r(line, &name, name.count)
    path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard result == 0 else { throw Failure(number: result) }
  }

  deinit {
    close(line)
    close(screen)
  }

  /// Sets the width.
  package func setColumns(_ columns: Int) throws {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(line, UInt(TIOCSWINSZ), &size) == 0 else { throw Failure(number: errno) }
  }

  /// Types a text.
  package func type(_ text: String) throws {
    guard write(screen, text, text.utf8.count) == text.utf8.count else {
      throw Failure(number: errno)
    }
  }

  /// Whether the terminal echoes typed text.
  package func showsInput() throws -> Bool {
    var settings = termios()
    guard tcgetattr(line, &settings) == 0 else { throw Failure(number: errno) }
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Runs a closure that waits for a program on a thread of its own: the tests have few threads.
  ///
  /// If the closure fails, the terminal hangs up. Otherwise, a program that waits for input would
  /// never end, and the test that waits for the program wouldn't fail.
  package func converse<Result: Sendable>(
    _ body: @escaping @Sendable (PseudoTerminal) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let result = Swift.Result { try body(self) }
        if case .failure = result { self.hangUp() }
        continuation.resume(with: result)
      }
    }
  }

  /// Closes the end of the test: programs that read from the terminal find its end.
  private func hangUp() {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    // The number stays in use until the terminal is released.
    dup2(nothing, screen)
    _ = fcntl(screen, F_SETFD, FD_CLOEXEC)
  }

  package struct Failure: Error {
    package let number: Int32
  }

  /// All text since the last reading, from programs that have exited.
  package func everything() throws -> String {
    // The terminal passes text on in order, but asynchronously.
    let mark = "\u{4}"
    guard write(line, mark, mark.utf8.count) == mark.utf8.count else {
      throw Failure(number: errno)
    }
    return String(try text(through: mark).dropLast())
  }

  /// Waits for this text, and returns everything since the last reading up to its end. Line ends
  /// are as the program wrote them.
  package func text(through end: String) throws -> String {
    var bytes: [UInt8] = []
    while !bytes.reversed().starts(with: end.utf8.reversed()) {
      // A busy machine may need minutes to start the program. Then the test fails instead of
      // blocking.
      var source = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      guard poll(&source, 1, Int32(LineReader.limit * 1_000)) == 1 else {
        throw Failure(number: ETIMEDOUT)
      }
      var byte: UInt8 = 0
      guard read(screen, &byte, 1) == 1 else { throw Failure(number: errno) }
      // A terminal adds a carriage return before each line feed.
      if byte != UInt8(ascii: "\r") { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
