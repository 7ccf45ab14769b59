import Foundation

/// Standard input, output and error, a line at a time and unbuffered: `watch` is followed live.
enum Console {
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  static func printError(_ error: any Error) {
    let line = "Example: \(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// Calls a closure with each line of standard input until it closes.
  static func readLines(_ body: (String) -> Void) {
    // Not `readLine`: a thread that waits in it holds a lock that `exit` may want.
    var buffer = [UInt8](repeating: 0, count: 4096)
    var unread: [UInt8] = []
    while case let count = read(STDIN_FILENO, &buffer, buffer.count), count > 0 {
      unread += buffer.prefix(count)
      while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        body(String(decoding: unread[..<end], as: UTF8.self))
        unread.removeSubrange(...end)
      }
    }
    if !unread.isEmpty { body(String(decoding: unread, as: UTF8.self)) }
  }
}
