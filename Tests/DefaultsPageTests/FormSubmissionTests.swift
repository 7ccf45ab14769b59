import Defaults
import DefaultsLayers
import PageProgram
import TestSupport
import Testing

@testable import DefaultsPage

@Suite("The submission of a form")
struct FormSubmissionTests {
  let suite = Defaults.MemorySuite()
  let form: Defaults.SettingsForm

  init() { form = Defaults.SettingsForm(suite, schema: SampleSettings.self) }

  @Test(
    "The submitted text of each kind of control is stored as a value of the setting's type",
    arguments: [
      ("launchAtLogin", "true", true), ("volume", "7", 7), ("theme", "dark", "dark"),
      ("nickname", "Bo", "Bo"), ("editor.cursorBlink", "0.25", 0.25),
      ("editor.rulers", "72, 90", [72, 90]), ("advanced.headers", #"{"a":"b"}"#, ["a": "b"]),
      ("advanced.timeout", "2m", 120.0),
    ] as [(String, String, Defaults.PropertyListValue)])
  func texts(name: String, text: String, entry: Defaults.PropertyListValue) {
    #expect(form.submit([name: text]).isEmpty)
    #expect(suite.entry(named: name) == entry)
  }

  @Test("A submission makes all valid changes in one transaction, and returns each problem")
  func partly() {
    let changes = Log<Set<String>>()
    let observation = suite.observe(nil) { changes.append($0.names) }
    let problems = form.submit([
      "volume": "7", "theme": "dark", "editor.tabWidth": "99", "advanced.step": "3",
    ])
    #expect(Set(problems.keys) == ["editor.tabWidth", "advanced.step"])
    #expect(problems["editor.tabWidth"]?.code == .invalid)
    #expect(problems["advanced.step"]?.reason.contains("must be even") == true)
    #expect(changes.all == [["volume", "theme"]])
    #expect(suite.names == ["volume", "theme"])
    withExtendedLifetime(observation) {}
  }

  @Test("For an unknown name, a submission returns a problem that suggests the nearest name")
  func unknown() {
    let problems = form.submit(["volum": "1"])
    #expect(problems["volum"]?.code == .unknownName)
    #expect(problems["volum"]?.reason.contains("did you mean \"volume\"") == true)
  }

  @Test("If a submission has a text and a reset for one setting, the setting is reset")
  func reset() {
    suite.set(7, forKey: "volume")
    #expect(form.submit(["volume": "8"], resetting: ["volume"]).isEmpty)
    #expect(suite.names.isEmpty)
  }

  @Test("A submission can't change or reset a managed setting")
  func managed() throws {
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("policy", Manual(["volume": 9]), isManaged: true),
      .writable(Defaults.MemorySuite()))
    let form = Defaults.SettingsForm(suite, schema: SampleSettings.self)
    let problems = form.submit(["volume": "1", "theme": "dark"])
    #expect(problems.mapValues(\.code) == ["volume": .managed])
    #expect(form.submit([:], resetting: ["volume"])["volume"]?.code == .managed)
    #expect(form.row("theme")?.value == "dark")
  }

  @Test("A form never has the value of a secret, and a submission can set and reset it")
  func secret() throws {
    #expect(form.submit(["apiToken": "swordfish"]).isEmpty)
    let row = try #require(form.row("apiToken"))
    #expect(row.isSecret && row.isChanged)
    #expect(row.value == nil && row.editedValue == nil && row.defaultValue == nil)
    #expect(!"\(form.sections())".contains("swordfish"))
    #expect(form.submit([:], resetting: ["apiToken"]).isEmpty)
    #expect(form.row("apiToken")?.isChanged == false)
  }

  @Test("The problem of a submitted secret doesn't quote the submitted text")
  func secretProblem() throws {
    let plain = Defaults.MemorySuite()
    let key = Defaults.Key<Int?>("pin", suite: plain, .secret, .in(0...9))
    let problem = Defaults.SettingsForm(plain, keys: [key]).submit(["pin": "12345"])["pin"]
    #expect(problem?.code == .invalid)
    #expect(problem?.description.contains("12345") == false)
  }

  @Test("The problem of a stored secret doesn't quote its value")
  func invalidSecret() throws {
    let suite = Defaults.MemorySuite(["pin": 12_345])
    let key = Defaults.Key<Int?>("pin", suite: suite, .secret, .in(0...9))
    let row = try #require(Defaults.SettingsForm(suite, keys: [key]).row("pin"))
    #expect(row.problem?.contains("It must be") == true)
    #expect(row.problem?.contains("12345") == false)
  }

  @Test(
    "If the transaction of a submission fails, nothing changes, and each setting gets the error")
  func failure() {
    let suite = EmptySuite(
      "locked", failingWith: Defaults.SuiteError(.locked, "Another process holds the lock"))
    let form = Defaults.SettingsForm(suite, schema: SampleSettings.self)
    let problems = form.submit(["volume": "7", "theme": "dark"])
    #expect(problems.mapValues(\.code) == ["volume": .locked, "theme": .locked])
    #expect(suite.names.isEmpty)
  }

  @Test("An empty control is no change of a secret, and clears an optional setting")
  func emptyControls() {
    for isOptional in [false, true] {
      #expect(FormChange.entering("", isSecret: true, isOptional: isOptional) == nil)
      for isSecret in [false, true] {
        let change = FormChange.entering("a", isSecret: isSecret, isOptional: isOptional)
        #expect(change == .text("a"))
      }
    }
    #expect(FormChange.entering("", isSecret: false, isOptional: true) == .noValue)
    #expect(FormChange.entering("", isSecret: false, isOptional: false) == .text(""))
  }
}
