#if canImport(SwiftUI)
  import Defaults
  import SwiftUI

  extension Defaults {
    /// A SwiftUI view of all settings, with a search.
    ///
    /// ```swift
    /// Settings { Defaults.SettingsView(form) }
    /// ```
    ///
    /// A control saves its setting at once, and shows the reason below it if the value isn't
    /// allowed. Changes by other programs appear. The view was type-checked on Linux against a
    /// stand-in for SwiftUI, and never compiled by Apple's compiler.
    public struct SettingsView: View {
      private let form: SettingsForm
      @State private var query = ""
      @State private var sections: [SettingsForm.Section] = []
      @State private var problems: [String: String] = [:]

      /// Creates a view of a form.
      public init(_ form: SettingsForm) { self.form = form }

      /// The search and the settings.
      public var body: some View {
        Form {
          ForEach(sections, id: \.name) { section in
            Section(section.title) {
              ForEach(section.rows) { row in
                SettingRow(row: row, problem: problems[row.name] ?? row.problem) { change in
                  submit(change, for: row.name)
                }
                .id("\(row.name) \(row.editedValue ?? "")")
              }
            }
          }
        }
        .searchable(text: $query)
        .onChange(of: query) { load() }
        .task {
          load()
          for await _ in form.changes() { load() }
        }
      }

      private func load() { sections = form.sections(matching: query) }

      private func submit(_ change: FormChange, for name: String) {
        problems[name] = form.submit([name: change]) { _, _ in true }[name]?.reason
        load()
      }
    }
  }

  /// A setting in the view.
  private struct SettingRow: View {
    let row: Defaults.SettingsForm.Row
    let problem: String?
    let submit: (FormChange) -> Void
    @State private var text: String
    @State private var isOn: Bool

    init(
      row: Defaults.SettingsForm.Row, problem: String?, submit: @escaping (FormChange) -> Void
    ) {
      self.row = row
      self.problem = problem
      self.submit = submit
      _text = State(initialValue: row.editedValue ?? "")
      _isOn = State(initialValue: row.editedValue == "true")
    }

    var body: some View {
      VStack(alignment: .leading) {
        if row.isManaged {
          LabeledContent(row.title, value: row.value ?? "")
        } else {
          control
        }
        if let about = row.about { Text(about).font(.caption) }
        if let problem { Text(problem).font(.caption).foregroundStyle(.red) }
        if row.isChanged, !row.isManaged {
          Button(row.isSecret ? "Remove" : "Reset") { submit(.reset) }
        }
      }
    }

    @ViewBuilder private var control: some View {
      switch row.control {
      case .toggle:
        Toggle(row.title, isOn: $isOn).onChange(of: isOn) { submit(.text("\(isOn)")) }
      case .choice(let choices):
        Picker(row.title, selection: $text) {
          if row.isOptional || row.editedValue == nil { Text("Not set").tag("") }
          ForEach(choices, id: \.text) { choice in Text(choice.label).tag(choice.text) }
        }
        .onChange(of: text) { submit(change) }
      default:
        if row.isSecret {
          SecureField(row.title, text: $text).onSubmit { submit(.text(text)) }
        } else {
          TextField(row.title, text: $text).onSubmit { submit(change) }
        }
      }
    }

    /// No text is the text of nil.
    private var change: FormChange {
      text.isEmpty && row.isOptional ? .noValue : .text(text)
    }
  }
#endif
