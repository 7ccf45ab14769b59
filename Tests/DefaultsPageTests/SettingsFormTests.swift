import Defaults
import DefaultsLayers
import DefaultsPage
import PageProgram
import DefaultsText
import TestSupport
import Testing

@Suite("The form of all settings")
struct SettingsFormTests {
  let suite = Defaults.MemorySuite()
  let form: Defaults.SettingsForm

  init() { form = Defaults.SettingsForm(suite, schema: SampleSettings.self) }

  @Test("A form has a section for each group of names, in the order of the declarations")
  func sections() {
    let sections = form.sections()
    #expect(sections.map(\.name) == ["", "editor", "advanced"])
    #expect(sections.map(\.title) == ["General", "Editor", "Advanced"])
    #expect(
      sections[1].rows.map(\.name) == [
        "editor.tabWidth", "editor.cursorBlink", "editor.font", "editor.rulers",
        "editor.showsMinimap",
      ])
  }

  @Test("A row has the title, description, value, default and source of its setting")
  func row() throws {
    suite.set(8, forKey: "editor.tabWidth")
    let row = try #require(form.row("editor.tabWidth"))
    #expect(row.title == "Tab Width")
    #expect(row.about == "The number of spaces of a tab")
    #expect(row.acceptedValues == "a whole number, 1 to 16")
    #expect(row.value == "8" && row.editedValue == "8" && row.defaultValue == "4")
    #expect(row.layer == "user" && row.isChanged)
    #expect(!row.isManaged && !row.isOverridden && !row.isSecret && row.problem == nil)
    #expect(form.row("volume")?.layer == "default")
    #expect(form.row("volume")?.isChanged == false)
  }

  @Test(
    "The control of a setting follows from its type and rules",
    arguments: [
      ("launchAtLogin", .toggle), ("nickname", .text), ("apiToken", .text),
      ("volume", .number(minimum: "0", maximum: "11", isWhole: true)),
      ("editor.cursorBlink", .number(minimum: "0.0", maximum: "1.0", isWhole: false)),
      (
        "theme",
        .choice([
          .init(text: "system", label: "System"), .init(text: "light", label: "Light"),
          .init(text: "dark", label: "Dark"),
        ])
      ),
      (
        "editor.font",
        .choice([.init(text: "serif", label: "serif"), .init(text: "mono", label: "mono")])
      ),
      (
        "editor.showsMinimap",
        .choice([.init(text: "true", label: "On"), .init(text: "false", label: "Off")])
      ),
      ("editor.rulers", .list), ("advanced.headers", .dictionary), ("advanced.expires", .date),
      ("advanced.timeout", .duration), ("advanced.window", .json),
    ] as [(String, Defaults.SettingControl)])
  func control(name: String, control: Defaults.SettingControl) {
    #expect(form.row(name)?.control == control)
  }

  @Test("A whole number's control has its type's limits, and a maximum below an open upper bound")
  func wholeNumber() {
    let suite = Defaults.MemorySuite()
    let form = Defaults.SettingsForm(
      suite,
      keys: [
        Defaults.Key<UInt8>("byte", default: 0, suite: suite),
        Defaults.Key<Int>("below", default: 0, suite: suite, .in(..<5)),
        Defaults.Key<Double>("real", default: 0, suite: suite, .in(0..<5)),
      ])
    #expect(form.row("byte")?.control == .number(minimum: "0", maximum: "255", isWhole: true))
    #expect(form.row("below")?.control == .number(minimum: nil, maximum: "4", isWhole: true))
    #expect(form.row("real")?.control == .number(minimum: "0.0", maximum: nil, isWhole: false))
  }

  @Test("The row of an invalid entry has the problem, and the default that is in effect")
  func invalidEntry() throws {
    suite.set(99, forKey: "volume")
    let row = try #require(form.row("volume"))
    #expect(row.value == "5" && row.layer == "default" && row.isChanged)
    #expect(row.problem?.contains("99") == true)
  }

  @Test("The row of a required setting without a value has a problem")
  func required() {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String>.required("server", suite: suite)
    let form = Defaults.SettingsForm(suite, keys: [key])
    #expect(form.row("server")?.problem == "The setting is required and has no value")
    #expect(form.submit(["server": "a"]).isEmpty)
    #expect(form.row("server")?.problem == nil)
  }

  @Test("The rows of managed and overridden settings are marked, and have the user's own value")
  func layers() throws {
    let user = Defaults.MemorySuite(["editor.tabWidth": 2, "volume": 1])
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("policy", Manual(["volume": 9]), isManaged: true),
      .environment(prefix: "APP_", ["APP_EDITOR_TAB_WIDTH": "8"]), .writable(user))
    let form = Defaults.SettingsForm(suite, schema: SampleSettings.self)
    let managed = try #require(form.row("volume"))
    #expect(managed.isManaged && managed.value == "9" && managed.layer == "policy")
    let overridden = try #require(form.row("editor.tabWidth"))
    #expect(overridden.isOverridden && !overridden.isManaged)
    #expect(overridden.value == "8" && overridden.editedValue == "2")
    #expect(overridden.place == "APP_EDITOR_TAB_WIDTH")
  }

  @Test("If a form is given two keys with one name, it has one row for them")
  func duplicates() {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<Int>("a", default: 1, suite: suite)
    #expect(Defaults.SettingsForm(suite, keys: [key, key]).names() == ["a"])
  }
}
