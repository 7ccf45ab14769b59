import Defaults
import Foundation
import Synchronization

/// Questions to the person at the terminal.
package enum Terminal {
  /// Whether a person can be asked: standard input and standard error are a terminal.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks until the answer is yes or no; an empty answer is the usual one, and the end of input no.
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

  /// Asks twice for a secret, which isn't shown.
  package static func secret(named name: String) throws -> String {
    let (first, second) = try withoutEcho {
      let first = try answer("\(name): ")
      return (first, try answer("\(name), once more: "))
    }
    guard first == second else {
      throw UsageError("\(name): the two values differ; nothing was changed")
    }
    return first
  }

  private static func answer(_ question: String) throws -> String {
    Console.printPrompt(question)
    let line = readLine()
    // The terminal didn't show the person's line break.
    Console.printPrompt("\n")
    guard let line, !line.isEmpty else {
      throw UsageError("nothing was typed; nothing was changed")
    }
    guard line.count < longestLine else {
      throw UsageError(
        "a terminal takes no line of \(longestLine) bytes; give the value on standard input, as -")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw UsageError("what was typed isn't UTF-8 text; nothing was changed")
    }
    return text
  }

  /// What a terminal drops the rest of a line at: `N_TTY_BUF_SIZE` of Linux with the line feed, and
  /// `MAX_CANON` of others.
  private static var longestLine: Int {
    #if os(Linux)
      4095
    #else
      Int(MAX_CANON) - 1
    #endif
  }

  /// Runs a body while the terminal doesn't show what is typed; a signal that ends the program lets
  /// it show that again before.
  private static func withoutEcho<Result>(_ body: () throws -> Result) throws -> Result {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw Defaults.CommandError(
        "the terminal can't be asked: \(String(cString: strerror(errno)))", status: 74)
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
      // A stopped program would leave the shell a terminal that shows nothing.
      Interrupts([SIGTSTP]) { _ in },
    ]
    return try withExtendedLifetime(signals) {
      defer { restore() }
      settings.c_lflag &= ~tcflag_t(ECHO)
      // What was typed before the question isn't the answer.
      guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else {
        throw Defaults.CommandError(
          "the terminal can't hide what is typed: \(String(cString: strerror(errno)))", status: 74)
      }
      return try body()
    }
  }

  /// A line of standard input without its end; nil at the end of input. What follows it stays there
  /// for the next reader.
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
