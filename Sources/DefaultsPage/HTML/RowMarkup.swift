import Defaults
import DefaultsText

/// A setting as HTML: its title, description, control and state.
struct RowMarkup {
  let row: Defaults.SettingsForm.Row
  /// The index of the setting, for the identifiers of the row's elements.
  let index: Int
  /// Whether the page can change settings.
  var isEditable = true
  /// Whether a search doesn't find the row.
  var isHidden = false
  /// The text that the user has submitted, if it wasn't stored.
  var submitted: String?
  /// The reason why it wasn't stored.
  var rejection: String?

  private var takesChange: Bool { isEditable && !row.isManaged }
  private var controlText: String { submitted ?? ControlText.value(of: row) }

  /// Adds the row. `Script` and `Style` depend on this structure.
  func add(to page: inout HTMLText) {
    page.add("<div")
    addState(to: &page)
    page.add(takesChange ? "><label for=\"r" : "><b id=\"r")
    page.add(index)
    page.add("\">")
    page.add(message: row.title)
    page.add(takesChange ? "</label> <code>" : "</b> <code>")
    page.add(message: row.name)
    page.add("</code>")
    if let about = row.about {
      page.add("<p id=\"d")
      page.add(index)
      page.add("\">")
      page.add(message: about)
      page.add("</p>")
    }
    if takesChange { addControl(to: &page) } else { addValue(to: &page) }
    addNotes(to: &page)
    if takesChange, row.isChanged { addReset(to: &page) }
    page.add("</div>\n")
  }

  /// The attributes for styles and filters.
  private func addState(to page: inout HTMLText) {
    let marks = [
      row.isChanged ? "c" : nil, row.isManaged ? "m" : nil,
      row.problem != nil || rejection != nil ? "i" : nil,
    ].compactMap(\.self)
    if !marks.isEmpty {
      page.add(" class=\"")
      page.add(text: marks.joined(separator: " "))
      page.add("\"")
    }
    if row.layer != "default" {
      page.add(" data-layer=\"")
      page.add(text: row.layer)
      page.add("\"")
    }
    if isHidden { page.add(" hidden") }
  }

  // MARK: - Values

  private func addValue(to page: inout HTMLText) {
    guard !row.isSecret else { return }
    page.add("<samp>")
    let text = row.value.map(ControlText.text(of:)) ?? "(none)"
    page.add(text: text.isEmpty ? "(empty)" : text)
    page.add("</samp>")
  }

  private func addControl(to page: inout HTMLText) {
    // A secret of any kind is hidden while it is typed.
    if row.isSecret { return addField(to: &page) }
    switch row.control {
    case .toggle where row.editedValue == nil:
      addSelection(of: Defaults.SettingControl.Choice.onOff, to: &page)
    case .toggle:
      page.add("<input type=\"hidden\"")
      addAttribute("name", ControlText.field(row.name), to: &page)
      page.add(" value=\"false\"><input type=\"checkbox\"")
      addCommon(to: &page)
      page.add(" value=\"true\"")
      if controlText == "true" { page.add(" checked") }
      page.add(">")
    case .choice(let choices):
      addSelection(of: choices, to: &page)
    case .number(let minimum, let maximum, let isWhole):
      guard ControlText.isNumber(controlText) else { return addField(to: &page) }
      page.add("<input type=\"number\"")
      addCommon(to: &page)
      if let minimum { addAttribute("min", minimum, to: &page) }
      if let maximum { addAttribute("max", maximum, to: &page) }
      if !isWhole { page.add(" step=\"any\"") }
      addAttribute("value", controlText, to: &page)
      page.add(">")
    case .date:
      guard let local = controlText.isEmpty ? "" : ControlText.local(ofDate: controlText) else {
        return addField(to: &page)
      }
      page.add("<input type=\"datetime-local\" step=\"1\"")
      addCommon(to: &page)
      addAttribute("value", local, to: &page)
      page.add(">")
    case .text, .list, .dictionary, .duration, .json:
      addField(to: &page)
    }
  }

  /// A text field, or a text area for long texts and for several lines.
  private func addField(to page: inout HTMLText) {
    if row.isSecret {
      page.add("<input type=\"password\" autocomplete=\"new-password\"")
      addCommon(to: &page)
      page.add(">")
      return
    }
    let text = ControlText.text(of: controlText)
    if text.utf8.count > 60 || text.utf8.contains(UInt8(ascii: "\n")) {
      page.add("<textarea rows=\"")
      page.add(min(12, max(3, text.utf8.count / 60)))
      page.add("\"")
      addCommon(to: &page)
      // A browser drops one line break at the start.
      page.add(">\n")
      page.add(text: text)
      page.add("</textarea>")
    } else {
      page.add("<input")
      addCommon(to: &page)
      addAttribute("value", text, to: &page)
      page.add(">")
    }
  }

  private func addSelection(
    of choices: [Defaults.SettingControl.Choice], to page: inout HTMLText
  ) {
    page.add("<select")
    addCommon(to: &page)
    page.add(">")
    let selected = choices.firstIndex { choice in
      controlText == (choice.text.isEmpty ? ControlText.emptyChoice : choice.text)
    }
    if selected == nil || row.isOptional {
      page.add(selected == nil ? "<option value=\"\" selected>" : "<option value=\"\">")
      page.add("(not set)")
    }
    for (index, choice) in choices.enumerated() {
      page.add("<option")
      addAttribute("value", ControlText.text(ofChoice: choice.text), to: &page)
      page.add(index == selected ? " selected>" : ">")
      page.add(message: choice.label)
    }
    page.add("</select>")
  }

  private func addCommon(to page: inout HTMLText) {
    page.add(" id=\"r")
    page.add(index)
    page.add("\"")
    addAttribute("name", ControlText.field(row.name), to: &page)
    if rejection != nil { page.add(" aria-invalid=\"true\"") }
    let describing = [row.about == nil ? nil : "d", notes.isEmpty ? nil : "s"].compactMap(\.self)
    guard !describing.isEmpty else { return }
    addAttribute(
      "aria-describedby", describing.map { "\($0)\(index)" }.joined(separator: " "), to: &page)
  }

  private func addAttribute(_ name: StaticString, _ value: String, to page: inout HTMLText) {
    page.add(" ")
    page.add(name)
    page.add("=\"")
    page.add(text: value)
    page.add("\"")
  }

  private func addReset(to page: inout HTMLText) {
    page.add("<button name=\"reset\"")
    addAttribute("value", ControlText.field(row.name), to: &page)
    let verb = row.isSecret ? "Remove" : "Reset"
    addAttribute("aria-label", "\(verb) \(escapedMessage(row.title))", to: &page)
    page.add(">")
    page.add(text: verb)
    page.add("</button>")
  }

  // MARK: - Notes

  private func addNotes(to page: inout HTMLText) {
    guard !notes.isEmpty else { return }
    page.add("<small id=\"s")
    page.add(index)
    page.add("\">")
    for (index, note) in notes.enumerated() {
      if index > 0 { page.add(" · ") }
      if note.isProblem { page.add("<strong>") }
      page.add(message: note.text)
      if note.isProblem { page.add("</strong>") }
    }
    page.add("</small>")
  }

  private var notes: [(text: String, isProblem: Bool)] {
    var notes: [(String, Bool)] = []
    if let rejection { notes.append(("Not saved: \(rejection)", true)) }
    if let problem = row.problem { notes.append(("Invalid: \(problem)", true)) }
    if row.isManaged {
      notes.append(("Managed by an administrator\(row.place.map { " in \($0)" } ?? "")", false))
    } else if row.isOverridden {
      let value = row.isSecret ? "" : ", the value in effect is \(row.value ?? "none")"
      notes.append(("Overridden by \(row.place ?? row.layer)\(value)", false))
    } else if row.layer != "default", row.layer != "user" {
      notes.append(("From \(row.layer)", false))
    }
    if row.isSecret {
      notes.append((row.layer == "default" ? "Secret, not set" : "Secret, set, not shown", false))
    } else if row.isChanged {
      notes.append(
        ("Changed, default \(row.defaultValue.map { $0.isEmpty ? "empty" : $0 } ?? "none")", false))
    }
    if takesChange, let accepted = acceptedNote { notes.append((accepted, false)) }
    return notes
  }

  /// The accepted values, unless the control shows them.
  private var acceptedNote: String? {
    switch row.control {
    case .toggle, .choice: nil
    case .text: row.acceptedValues == "text" ? nil : row.acceptedValues.capitalizedStart
    case .date: "UTC"
    case .number, .list, .dictionary, .duration, .json: row.acceptedValues.capitalizedStart
    }
  }
}
