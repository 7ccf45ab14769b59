import Defaults
import Foundation

/// What a person gives a program to read: files, standard input, and the words of a command line.
package enum Input {
  /// Larger files are no settings.
  package static let limit = 1 << 30

  /// The content of a file, or of standard input if the name is `-`.
  package static func content(
    of file: String, limit: Int = limit
  ) throws(Defaults.CommandError) -> Data {
    let isStandard = file == "-"
    let name = isStandard ? "standard input" : file
    func problem(_ words: String = String(cString: strerror(errno))) -> Defaults.CommandError {
      Defaults.CommandError("\(name): it can't be read: \(words)", status: 66)
    }
    let number = isStandard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw problem() }
    defer { if !isStandard { close(number) } }
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(number, &buffer, buffer.count)
      if count == 0 { return content }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw problem() }
      content += buffer.prefix(count)
      guard content.count <= limit else { throw problem("it is larger than \(limit >> 20) MiB") }
    }
  }

  /// The text of standard input, without one line feed at its end and with nothing else changed: a
  /// value that is in no list of processes and in no history of a shell.
  package static func value() throws(Defaults.CommandError) -> String {
    var content = try content(of: "-", limit: Defaults.SizeLimit.value)
    if content.last == UInt8(ascii: "\n") { content.removeLast() }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Defaults.CommandError(
        "standard input isn't UTF-8 text; give a value as text, data in base 64", status: 65)
    }
    return text
  }

  /// Throws if one of the words came by the command line and wasn't text there: what isn't UTF-8 is
  /// replaced before a program sees it, and would be taken for what the person meant.
  package static func requireText(_ words: [String]) throws(UsageError) {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil,
        words.contains(String(cString: word))
      else { continue }
      throw UsageError("argument \(index) isn't UTF-8 text")
    }
  }
}
