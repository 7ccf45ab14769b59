import Defaults
import DefaultsPage
import PageProgram
import Foundation
import Testing

@Suite("The output of a form")
struct FormOutputTests {
  let suite = Defaults.MemorySuite(["editor.tabWidth": 8, "apiToken": "swordfish"])
  let form: Defaults.SettingsForm

  init() { form = Defaults.SettingsForm(suite, schema: SampleSettings.self) }

  @Test("A form's HTML page shows all values and no secret, and can't change settings")
  func html() {
    let html = form.html(title: "Settings of mytool")
    #expect(html.contains("<h1>Settings of mytool</h1>"))
    #expect(html.contains("<samp>8</samp>"))
    #expect(!html.contains("method=\"post\"") && !html.contains("name=\":"))
    #expect(!html.contains("swordfish"))
  }

  @Test("A form's JSON has the members of each row, and no secret")
  func json() throws {
    let text = form.json(matching: "@changed")
    #expect(!text.contains("swordfish"))
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let sections = try #require(object?["sections"] as? [[String: Any]])
    #expect(sections.map { $0["title"] as? String } == ["General", "Editor"])
    let row = try #require((sections[1]["rows"] as? [[String: Any]])?.first)
    #expect(row["name"] as? String == "editor.tabWidth")
    #expect(row["value"] as? String == "8" && row["defaultValue"] as? String == "4")
    #expect(row["isChanged"] as? Bool == true && row["layer"] as? String == "user")
    let control = row["control"] as? [String: Any]
    #expect(control?["type"] as? String == "number" && control?["maximum"] as? String == "16")
    #expect(row["problem"] == nil)
  }
}
