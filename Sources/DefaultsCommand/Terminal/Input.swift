import Defaults
import Foundation

/// The user's input: files, standard input and arguments.
package enum Input {
  /// The limit for files, far above the size of any settings.
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

  /// The text of standard input, unchanged except that one line feed at its end is removed. A value
  /// passed this way is neither in the list of processes nor in a shell's history.
  package static func value() throws(Defaults.CommandError) -> String {
    var content = try content(of: "-", limit: Defaults.SizeLimit.value)
    if content.last == UInt8(ascii: "\n") { content.removeLast() }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Defaults.CommandError(
        "standard input isn't UTF-8 text; encode binary data as Base64", status: 65)
    }
    return text
  }

  /// Throws if one of the words is an argument that isn't valid UTF-8. Swift replaces invalid
  /// bytes, so a different text would be stored than the user typed.
  package static func requireText(_ words: [String]) throws(UsageError) {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil,
        words.contains(String(cString: word))
      else { continue }
      throw UsageError("argument \(index) isn't UTF-8 text")
    }
  }
}
