import Defaults
import Foundation

/// Why an edited text can't be stored.
struct EditProblem: Error, CustomStringConvertible {
  let description: String
  /// The line of the file that it is about, from 0 on.
  let line: Int?

  init(_ description: String, line: Int? = nil) {
    self.description = description
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

  private let folder: String
  let path: String
  /// What it had at first.
  private let original: String
  /// What it had when the editor was opened last.
  private var text: String
  /// Whether the editor left it as it was.
  private(set) var isUntouched = false

  init(_ text: String) throws {
    self.text = text
    original = text
    let temporary = FileManager.default.temporaryDirectory.path
    var name = (temporary + "/settings-XXXXXX").utf8CString.map(\.self)
    // For nobody else to read.
    guard mkdtemp(&name) != nil else {
      throw Defaults.CommandError(
        "\(temporary): no file can be made for the editor: \(String(cString: strerror(errno)))",
        status: 74)
    }
    folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = folder + "/settings.json"
    do { try write() } catch { remove(); throw error }
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Whether there is a file with something that a person has written.
  var isWritten: Bool {
    isFile && FileManager.default.contents(atPath: path).map { $0 != Data(original.utf8) } ?? true
  }

  private var isFile: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  static func isRemark(_ line: some StringProtocol) -> Bool {
    line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
  }

  private func write() throws {
    do {
      // In one step: what was written before is there until all of this is.
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw Defaults.CommandError("\(path): it can't be written", status: 74)
    }
  }

  /// Opens the editor, and returns what the file has when it has ended.
  func edit() throws -> Content {
    let environment = ProcessInfo.processInfo.environment
    let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
    let status = try Editor.run(editor, path)
    guard status == 0 else {
      throw Defaults.CommandError(
        "\(editor) ended with status \(status); nothing was changed", status: 70)
    }
    guard isFile else {
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
