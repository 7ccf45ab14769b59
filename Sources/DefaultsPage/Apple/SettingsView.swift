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
                .id([row.name, row.editedValue])
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
    @State private var choice: String?
    @State private var isOn: Bool

    init(
      row: Defaults.SettingsForm.Row, problem: String?, submit: @escaping (FormChange) -> Void
    ) {
      self.row = row
      self.problem = problem
      self.submit = submit
      _text = State(initialValue: row.editedValue ?? "")
      _choice = State(initialValue: row.editedValue)
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
      if row.isSecret {
        // A secret of any kind is hidden while it is typed.
        SecureField(row.title, text: $text).onSubmit { submitText() }
      } else {
        switch row.control {
        case .toggle:
          Toggle(row.title, isOn: $isOn).onChange(of: isOn) { submit(.text("\(isOn)")) }
        case .choice(let choices):
          Picker(row.title, selection: $choice) {
            if row.isOptional || row.editedValue == nil { Text("Not set").tag(String?.none) }
            ForEach(choices, id: \.text) { choice in
              Text(choice.label).tag(String?.some(choice.text))
            }
          }
          .onChange(of: choice) { submit(choice.map(FormChange.text) ?? .noValue) }
        default:
          TextField(row.title, text: $text).onSubmit { submitText() }
        }
      }
    }

    private func submitText() {
      let change = FormChange.entering(text, isSecret: row.isSecret, isOptional: row.isOptional)
      if let change { submit(change) }
    }
  }
#endif
