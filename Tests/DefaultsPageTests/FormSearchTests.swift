import Defaults
import DefaultsLayers
import DefaultsPage
import PageProgram
import TestSupport
import Testing

@Suite("The search of a form")
struct FormSearchTests {
  let suite = Defaults.MemorySuite()
  let form: Defaults.SettingsForm

  init() { form = Defaults.SettingsForm(suite, schema: SampleSettings.self) }

  @Test(
    "A search finds names, titles, descriptions, choices and values in any letter case",
    arguments: [
      ("EDITOR.tab", ["editor.tabWidth"]), ("tab width", ["editor.tabWidth"]),
      ("loudness", ["volume"]), ("serif", ["editor.font"]), ("LIGHT", ["theme"]),
      ("80,100", ["editor.rulers"]), ("nothing like this", []),
      ("spaces number", ["editor.tabWidth"]),
    ])
  func words(query: String, names: [String]) {
    #expect(form.names(matching: query) == names)
  }

  @Test("An empty search finds all settings")
  func empty() { #expect(form.names(matching: " ").count == form.names().count) }

  @Test("Filters find changed, invalid and managed settings, and the settings of a layer")
  func filters() throws {
    let user = Defaults.MemorySuite(["editor.tabWidth": 2, "editor.font": "comic"])
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("policy", Manual(["volume": 9]), isManaged: true), .writable(user),
      onIssue: { _ in })
    let form = Defaults.SettingsForm(suite, schema: SampleSettings.self)
    #expect(form.names(matching: "@changed") == ["editor.tabWidth", "editor.font"])
    #expect(form.names(matching: "@invalid") == ["editor.font"])
    #expect(form.names(matching: "@managed") == ["volume"])
    #expect(form.names(matching: "@layer:policy") == ["volume"])
    #expect(form.names(matching: "@changed width @layer:user") == ["editor.tabWidth"])
    #expect(form.names(matching: "@managed @changed") == [])
    #expect(form.names(matching: "@elsewhere") == [])
  }

  @Test("A search doesn't find a secret by its value")
  func secret() {
    suite.set("swordfish", forKey: "apiToken")
    #expect(form.names(matching: "swordfish") == [])
    #expect(form.names(matching: "token") == ["apiToken"])
  }
}
