import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let edit = Verb(
    name: "edit", options: [secrets],
    summary: "open all settings as JSON in $VISUAL or $EDITOR, and store the changes"
  ) { command, invocation in
    try command.edit(showingSecrets: invocation.has(secrets))
  }
}

extension Defaults.Command {
  /// Lets the user edit the settings as a text until it is valid or the user gives up, then stores
  /// the changes in one transaction. Changes of other processes are kept. If another process
  /// changed the same setting, the user is asked again.
  fileprivate func edit(showingSecrets: Bool) throws {
    let keys = keys.filter { showingSecrets || !suite.isSecret($0) }
    var seen: [String: Defaults.PropertyListValue] = [:]
    for key in keys { seen[key.name] = key.entry(in: suite) }
    let before = try json(of: keys)
    let original = try Defaults.JSONFormat().decode(Data(before.utf8))
    let document = try EditedText(
      """
      // The settings of \(name). Changes are stored when the editor exits.
      // Remove a setting to reset it. Comments are ignored.

      """ + before, isSecret: keys.contains { suite.isSecret($0) })
    do {
      try store(what: document, before: original, seen: seen, keys)
    } catch {
      // Tell the user what happened to the text that couldn't be stored.
      let problem = Defaults.CommandError(error)
      guard let words = document.end() else { throw problem }
      throw Defaults.CommandError("\(problem); \(words)", status: problem.status)
    }
    document.remove()
  }

  private func store(
    what document: EditedText, before original: [String: Defaults.PropertyListValue],
    seen entries: [String: Defaults.PropertyListValue], _ keys: [Defaults.AnyKey]
  ) throws {
    var seen = entries
    var mistakes: [EditProblem] = []
    while true {
      let text = try document.edit()
      // A user who leaves the text as it is, with the reason below the line, has given up.
      if let problem = mistakes.last, document.isUntouched {
        throw UsageError("\(problem); nothing was changed")
      }
      do {
        let changes = try changes(from: original, to: text, keys)
        guard !changes.isEmpty else { return Console.print("Nothing was changed.") }
        var seenByRun = seen
        defer { seen = seenByRun }
        try suite.transaction { draft in
          seenByRun = seen
          for key in keys {
            guard let edit = changes[key.name] else { continue }
            if let problem = conflict(of: key, with: &seenByRun, in: draft, unless: edit) {
              throw EditProblem(problem, line: text.line(of: key.name))
            }
            key.write(edit, in: &draft)
          }
        }
        return try tellChange(of: keys.filter { changes[$0.name] != nil })
      } catch let problem as EditProblem {
        mistakes.append(problem)
        guard isEditedAgain(after: mistakes) else {
          throw UsageError("\(problem); nothing was changed")
        }
        try document.explain(problem)
      }
    }
  }

  /// Whether to open the editor again: if the user answers yes or, without a terminal, after the
  /// first mistake only. An editor that is a script may make the same mistake forever.
  private func isEditedAgain(after mistakes: [EditProblem]) -> Bool {
    guard Terminal.canAsk else { return mistakes.count < 2 }
    if let problem = mistakes.last { Console.printError(problem) }
    return Terminal.confirms("Edit again?", usually: true)
  }

  /// The edits that a text makes, by name.
  private func changes(
    from original: [String: Defaults.PropertyListValue], to text: EditedText.Content,
    _ keys: [Defaults.AnyKey]
  ) throws(EditProblem) -> [String: Defaults.Edit] {
    let data = Data(text.text.utf8)
    let edited: [String: Defaults.PropertyListValue]
    do {
      edited = try Defaults.JSONFormat(allowsComments: true).decode(data)
    } catch {
      throw EditProblem(error.reason, line: error.offset.map { text.line(atOffset: $0) })
    }
    var changes: [String: Defaults.Edit] = [:]
    for (name, value) in edited
    where !Defaults.isReserved(name) && original[name] != value {
      guard let key = keys.first(where: { $0.name == name }) else {
        let nearest =
          NearestName.of(name, in: keys.map(\.name)).map { " (did you mean \($0)?)" } ?? ""
        throw EditProblem("there is no setting \(name)\(nearest)", line: text.line(of: name))
      }
      do throws(Defaults.SuiteError) {
        changes[name] = try key.edit(ofEntry: value, in: suite)
      } catch {
        throw EditProblem("\(name): \(error.reason)", line: text.line(of: name))
      }
    }
    for name in original.keys.sorted() where edited[name] == nil {
      do throws(Defaults.SuiteError) {
        if let key = keys.first(where: { $0.name == name }) { try suite.requireUnmanaged(key) }
      } catch {
        throw EditProblem("\(name): \(error.reason)")
      }
      changes[name] = .remove
    }
    return changes
  }

  /// The message if another process changed the setting after the user saw it, to another value
  /// than the user's. Marks the current value as seen.
  private func conflict(
    of key: Defaults.AnyKey, with seen: inout [String: Defaults.PropertyListValue],
    in draft: Defaults.Draft, unless edit: Defaults.Edit
  ) -> String? {
    let now = key.entry(in: draft)
    guard now != seen[key.name], now != edit.entry else { return nil }
    seen[key.name] = now
    let words =
      suite.isSecret(key) ? "different" : now.flatMap { key.text(showing: $0) } ?? "removed"
    return "\(key.name) is now \(words); remove this line to store your value"
  }
}
