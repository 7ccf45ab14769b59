import Defaults
import Foundation
import Synchronization

/// Questions to the user at the terminal.
package enum Terminal {
  /// Whether the user can be asked: standard input and standard error are a terminal.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks until the answer is yes or no. An empty answer is `usually`, and the end of input is no.
  package static func confirms(_ question: String, usually: Bool = false) -> Bool {
    while true {
      Console.printPrompt("\(question) [\(usually ? "Y/n" : "y/N")] ")
      guard let line = readLine() else {
        Console.printPrompt("\n")
        return false
      }
      switch String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
      {
      case "": return usually
      case "y", "yes": return true
      case "n", "no": return false
      default: continue
      }
    }
  }

  /// Asks twice for a secret without showing it.
  package static func secret(named name: String) throws -> String {
    let (first, second) = try withoutEcho {
      let first = try answer("\(name): ")
      return (first, try answer("\(name), again: "))
    }
    guard first == second else {
      throw UsageError("\(name): the two values differ; nothing was changed")
    }
    return first
  }

  private static func answer(_ question: String) throws -> String {
    Console.printPrompt(question)
    let line = readLine()
    // The terminal didn't echo the user's line break.
    Console.printPrompt("\n")
    guard let line, !line.isEmpty else {
      throw UsageError("no value was typed; nothing was changed")
    }
    guard line.count < longestLine else {
      throw UsageError(
        "a terminal line is limited to \(longestLine) bytes; use - to read standard input")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw UsageError("the typed value isn't UTF-8 text; nothing was changed")
    }
    return text
  }

  /// The length at which a terminal truncates a line: `N_TTY_BUF_SIZE` on Linux including the line
  /// feed, `MAX_CANON` elsewhere.
  private static var longestLine: Int {
    #if os(Linux)
      4095
    #else
      Int(MAX_CANON) - 1
    #endif
  }

  /// Runs a body while the terminal doesn't echo input. A signal that ends the program restores it.
  private static func withoutEcho<Result>(_ body: () throws -> Result) throws -> Result {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw Defaults.CommandError(
        "the terminal's settings can't be read: \(String(cString: strerror(errno)))", status: 74)
    }
    let before = settings
    let restore: @Sendable () -> Void = {
      var settings = before
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    let signals = [
      Interrupts([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) { number in
        restore()
        Interrupts.end(by: number)
      },
      // A stopped program would leave the shell a terminal without echo.
      Interrupts([SIGTSTP]) { _ in },
    ]
    return try withExtendedLifetime(signals) {
      defer { restore() }
      settings.c_lflag &= ~tcflag_t(ECHO)
      // Discards input that was typed before the question.
      guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else {
        throw Defaults.CommandError(
          "the terminal can't hide the typed value: \(String(cString: strerror(errno)))", status: 74
        )
      }
      return try body()
    }
  }

  /// A line of standard input without its line feed; nil at the end of input. Reads no further, so
  /// that the next reader gets the rest.
  private static func readLine() -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
  }
}
