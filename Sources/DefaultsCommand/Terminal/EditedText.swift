import Defaults
import Foundation

/// The reason why an edited text can't be stored.
struct EditProblem: Error, CustomStringConvertible {
  let description: String
  /// The line of the file that is wrong, from 0.
  let line: Int?

  init(_ description: String, line: Int? = nil) {
    self.description = escapedMessage(description)
    self.line = line
  }
}

/// A text that the user edits.
final class EditedText {
  /// The text that the user has written.
  struct Content {
    /// JSON with comments.
    let text: String
    private let lines: [Substring]

    init(_ text: String) {
      self.text = text
      lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The line that contains a byte of the text.
    func line(atOffset offset: Int) -> Int {
      text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    /// The line that contains a setting's name, unless the name is escaped there.
    func line(of name: String) -> Int? { lines.firstIndex { $0.contains("\"\(name)\"") } }
  }

  private let file: EditedFile
  private let editor: Editor
  /// The content that the editor last opened or wrote.
  private var text: String
  /// Whether the editor left the text unchanged.
  private(set) var isUntouched = false

  /// Creates a file with a text. With `isSecret` the text shows secrets, and is always removed.
  init(_ text: String, isSecret: Bool) throws {
    self.text = text
    let file = try EditedFile(Data(text.utf8), isSecret: isSecret)
    self.file = file
    editor = Editor {
      if let words = file.end() { Console.printError(words) }
    }
    do {
      try file.write(Data(text.utf8))
    } catch {
      file.remove()
      throw error
    }
  }

  func remove() { file.remove() }

  /// Ends the editing. The user's text is kept unless it shows secrets. Returns a message about the
  /// text, or nil if nothing was changed.
  func end() -> String? { file.end() }

  /// Opens the editor, and returns the file's content when it has exited.
  func edit() throws -> Content {
    let environment = ProcessInfo.processInfo.environment
    let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
    let path = file.path
    let status = try self.editor.run(editor, path)
    // The shell reports that it can't run a command (126), or doesn't find it (127).
    guard ![126, 127].contains(status) else {
      throw Defaults.CommandError(
        "\(editor) can't be started, so nothing was changed; set VISUAL or EDITOR to an editor",
        status: 71)
    }
    guard status == 0 else {
      throw Defaults.CommandError(
        "\(editor) exited with status \(status); nothing was changed", status: 70)
    }
    guard file.isThere else {
      throw Defaults.CommandError(
        "\(editor) left no file at \(path); nothing was changed", status: 66)
    }
    guard let content = String(validating: try Input.content(of: path), as: UTF8.self) else {
      throw Defaults.CommandError("the edited text isn't UTF-8; nothing was changed", status: 65)
    }
    // Some editors write line endings of Windows, or a byte order mark.
    let written = (content.hasPrefix("\u{FEFF}") ? String(content.dropFirst()) : content)
      .replacing("\r\n", with: "\n")
    isUntouched = written == text
    text = written
    return Content(written)
  }

  /// Writes a reason below the line that it is about.
  func explain(_ problem: EditProblem) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.insert("// ^^^ \(problem.description)", at: min((problem.line ?? 0) + 1, lines.count))
    // Remove the reasons of earlier attempts.
    let old = "// ^^^ "
    var isNew = true
    for index in lines.indices.reversed() where lines[index].hasPrefix(old) {
      if lines[index] == old + problem.description, isNew {
        isNew = false
      } else {
        lines.remove(at: index)
      }
    }
    text = lines.joined(separator: "\n")
    try file.write(Data(text.utf8))
  }
}
