import Foundation

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
