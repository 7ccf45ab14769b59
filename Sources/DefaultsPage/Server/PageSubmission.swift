import Defaults
import DefaultsText

/// The changes that a browser submits.
///
/// A browser submits all fields. A field with the value that the page showed wasn't changed.
struct PageSubmission {
  private let form: Defaults.SettingsForm
  private var texts: [String: String] = [:]
  /// The settings that the request has fields of.
  private var names: Set<String> = []
  private var changes: [String: FormChange] = [:]
  /// The digests of the values that the user has seen; nil if the request doesn't have them.
  private let seen: Set<Substring>?

  init(_ fields: [String: String], of form: Defaults.SettingsForm) {
    self.form = form
    seen = fields["seen"].map { text in
      var (marks, rest) = (Set<Substring>(), text[...])
      while !rest.isEmpty {
        marks.insert(rest.prefix(8))
        rest = rest.dropFirst(8)
      }
      return marks
    }
    for (field, text) in fields {
      guard let name = ControlText.name(ofField: field) else { continue }
      names.insert(name)
      add(text, for: name)
    }
    if let name = fields["reset"].flatMap(ControlText.name(ofField:)) { changes[name] = .reset }
  }

  private mutating func add(_ text: String, for name: String) {
    guard let setting = form.setting(named: name) else {
      changes[name] = .text(text)
      return
    }
    if case .choice = setting.control, text == ControlText.emptyChoice {
      if wasSeen(name, text) { return }
      texts[name] = text
      changes[name] = .text("")
      return
    }
    let value = ControlText.value(of: text, as: setting.control)
    let change = FormChange.entering(
      value, isSecret: form.suite.isSecret(setting.key),
      isOptional: setting.description.isOptional)
    guard let change, !wasSeen(name, value) else { return }
    texts[name] = value
    changes[name] = change
  }

  private func wasSeen(_ name: String, _ value: String) -> Bool {
    seen?.contains(ControlText.seen(name, value)[...]) == true
  }

  func submit() -> PageMarkup.Outcome {
    let problems = form.submit(changes) { setting, row in
      guard let seen, !row.isSecret else { return true }
      return seen.contains(ControlText.seen(row)[...])
        || changes[row.name] == row.editedValue.map { .text($0) } ?? .noValue
    }
    return PageMarkup.Outcome(
      saved: changes.count - problems.count, problems: problems, texts: texts)
  }

  /// The outcome for the page's script: a message, and the rows of the submitted settings as HTML.
  func json(of outcome: PageMarkup.Outcome) -> String {
    let rows = names.union(changes.keys).compactMap(form.index(ofName:)).sorted().map { index in
      let row = form.row(of: form.settings[index])
      return RowMarkup(
        row: row, index: index, submitted: outcome.rejectedText(of: row),
        rejection: outcome.problems[row.name]?.reason
      ).json
    }
    var message = PageMarkup.message(saved: outcome.saved, rejected: outcome.problems.count)
    if outcome.problems.count == 1, let problem = outcome.problems.values.first {
      message = "Not saved: \(problem.reason)"
    }
    return Defaults.SettingsForm.text(ofJSON: [
      "message": .string(escapedMessage(message)), "rows": .array(rows),
    ])
  }
}

extension RowMarkup {
  /// The row for the page's script.
  var json: Defaults.PropertyListValue {
    var html = HTMLText()
    add(to: &html)
    return [
      "index": .integer(Int64(index)), "seen": .string(ControlText.seen(row)),
      "html": .string(html.text),
    ]
  }
}
