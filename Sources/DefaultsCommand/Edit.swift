import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let edit = Verb(
    name: "edit", options: [secrets],
    summary: "open all settings as JSON in $VISUAL or $EDITOR, and store what was changed there"
  ) { command, invocation in
    try command.edit(showingSecrets: invocation.has(secrets))
  }
}

extension Defaults.Command {
  /// Lets a person edit the settings as a text, until that is right or the person gives up; then
  /// makes what was changed there in one transaction. What others change meanwhile stays.
  fileprivate func edit(showingSecrets: Bool) throws {
    let keys = keys.filter { showingSecrets || !$0.isSecret }
    let before = try json(of: keys)
    let original = try Defaults.JSONFormat().decode(Data(before.utf8))
    let document = try EditedText(
      """
      // The settings of \(name). What is changed here is stored when the editor ends.
      // A setting that is removed here gets its default; lines that begin with // don't count.

      """ + before)
    do {
      try store(what: document, before: original, keys)
    } catch {
      // What a person has written isn't lost with the reason why it can't be stored.
      guard !(error is UsageError), document.isWritten else {
        document.remove()
        throw error
      }
      let problem = Defaults.CommandError(error)
      throw Defaults.CommandError(
        "\(problem); what you wrote is kept in \(document.path)", status: problem.status)
    }
    document.remove()
  }

  private func store(
    what document: EditedText, before original: [String: Defaults.PropertyListValue],
    _ keys: [Defaults.AnyKey]
  ) throws {
    while true {
      let text = try document.edit()
      do {
        let changes = try changes(from: original, to: text, keys)
        guard !changes.isEmpty else { return Console.print("Nothing was changed.") }
        try suite.transaction { draft in
          for key in keys {
            if let edit = changes[key.name] { key.write(edit, in: &draft) }
          }
        }
        return try tellChange(of: keys.filter { changes[$0.name] != nil })
      } catch let problem as EditProblem {
        // Once more, with the reason below the line. Who leaves it as it is has given up.
        guard try document.explain(problem) else {
          throw UsageError("\(problem); nothing was changed")
        }
      }
    }
  }

  /// What a text changes.
  private func changes(
    from original: [String: Defaults.PropertyListValue], to text: EditedText.Content,
    _ keys: [Defaults.AnyKey]
  ) throws(EditProblem) -> [String: Defaults.Edit] {
    let data = Data(text.json.utf8)
    let edited: [String: Defaults.PropertyListValue]
    do {
      edited = try Defaults.JSONFormat().decode(data)
    } catch {
      throw EditProblem(error.reason, line: error.offset.map { text.line(atOffset: $0) })
    }
    var changes: [String: Defaults.Edit] = [:]
    for (name, value) in edited where original[name] != value {
      guard let key = keys.first(where: { $0.name == name }) else {
        let nearest = NearestName.of(name, in: keys.map(\.name)).map { " (\($0)?)" } ?? ""
        throw EditProblem("there is no setting \(name)\(nearest)", line: text.line(of: name))
      }
      do throws(Defaults.SuiteError) {
        changes[name] = try key.edit(ofEntry: value, in: suite)
      } catch {
        throw EditProblem("\(name): \(error.reason)", line: text.line(of: name))
      }
    }
    for name in original.keys where edited[name] == nil { changes[name] = .remove }
    return changes
  }
}

/// Why an edited text can't be stored.
private struct EditProblem: Error, CustomStringConvertible {
  let description: String
  /// The line of the file that it is about, from 0 on.
  let line: Int?

  init(_ description: String, line: Int? = nil) {
    self.description = description
    self.line = line
  }
}

/// A file for a person's editor.
private final class EditedText {
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
    let status = try Self.run(editor, path)
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

  /// Whether the editor left the file as it was.
  private var isUntouched = false
  private var wasExplained = false

  /// Puts a reason below the line that it is about; returns false if the person has left the file
  /// with a reason as it was.
  func explain(_ problem: EditProblem) throws -> Bool {
    if wasExplained, isUntouched { return false }
    wasExplained = true
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
    return true
  }

  /// Runs an editor by the shell, since it may have arguments, on this terminal.
  private static func run(_ editor: String, _ path: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\(editor) \"$1\"", "sh", path]
    // Control-C is the editor's.
    let interrupts = Interrupts {}
    try process.run()
    process.waitUntilExit()
    withExtendedLifetime(interrupts) {}
    return process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
  }
}
