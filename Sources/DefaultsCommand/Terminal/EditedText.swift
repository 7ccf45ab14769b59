import Defaults
import Foundation

/// Why an edited text can't be stored.
struct EditProblem: Error, CustomStringConvertible {
  let description: String
  /// The line of the file that it is about, from 0 on.
  let line: Int?

  init(_ description: String, line: Int? = nil) {
    self.description = escapedMessage(description)
    self.line = line
  }
}

/// A file for a person's editor.
final class EditedText {
  /// What the person has written.
  struct Content {
    let lines: [Substring]

    init(_ text: String) {
      lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The lines that count; the others are empty, so that each one is where it was.
    var json: String {
      lines.map { EditedText.isRemark($0) ? "" : $0 }.joined(separator: "\n")
    }

    /// The line in which a byte of the JSON stands.
    func line(atOffset offset: Int) -> Int {
      json.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    /// The line in which a setting's name stands, if it is there as it is.
    func line(of name: String) -> Int? { lines.firstIndex { $0.contains("\"\(name)\"") } }
  }

  private let file: EditedFile
  private let editor: Editor
  /// The content when the editor was opened last.
  private var text: String
  /// Whether the editor left it as it was.
  private(set) var isUntouched = false

  /// A file with a text; `isSecret` says whether it shows secrets, and so is never left behind.
  init(_ text: String, isSecret: Bool) throws {
    self.text = text
    let file = try EditedFile(Data(text.utf8), isSecret: isSecret)
    self.file = file
    editor = Editor {
      if let words = file.end() { Console.printError(words) }
    }
    try write()
  }

  /// Removes the file.
  func remove() { file.remove() }

  /// Ends the editing, and returns what became of what the person has written: it is kept, unless it
  /// shows secrets; nil if there is nothing to say.
  func end() -> String? { file.end() }

  static func isRemark(_ line: some StringProtocol) -> Bool {
    line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
  }

  private func write() throws {
    do {
      try file.write(Data(text.utf8))
    } catch {
      file.remove()
      throw error
    }
  }

  /// Opens the editor, and returns what the file has when it has ended.
  func edit() throws -> Content {
    let environment = ProcessInfo.processInfo.environment
    let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
    let path = file.path
    let status = try self.editor.run(editor, path)
    guard status == 0 else {
      throw Defaults.CommandError(
        "\(editor) ended with status \(status); nothing was changed", status: 70)
    }
    guard file.isThere else {
      throw Defaults.CommandError(
        "\(editor) left no file at \(path); nothing was changed", status: 66)
    }
    guard let content = String(validating: try Input.content(of: path), as: UTF8.self) else {
      throw Defaults.CommandError("it isn't UTF-8 text; nothing was changed", status: 65)
    }
    // Some editors write the ends of lines, and the beginning, in the way of other systems.
    let written = (content.hasPrefix("\u{FEFF}") ? String(content.dropFirst()) : content)
      .replacing("\r\n", with: "\n")
    isUntouched = written == text
    text = written
    return Content(written)
  }

  /// Puts a reason below the line that it is about.
  func explain(_ problem: EditProblem) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.insert("// ^^^ \(problem.description)", at: min((problem.line ?? 0) + 1, lines.count))
    // Of an earlier reason nothing is left.
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
    try write()
  }
}
