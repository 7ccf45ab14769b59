import Defaults
import DefaultsLayers
import DefaultsPage
import PageProgram
import Foundation
import TestSupport
import Testing

@Suite("A submission of the page")
struct PageSubmissionTests {
  let suite = Defaults.MemorySuite()
  let page: Defaults.SettingsPage

  init() { page = Defaults.SettingsPage(Defaults.SettingsForm(suite, schema: SampleSettings.self)) }

  @Test("A page that is submitted without a change stores nothing")
  func unchanged() throws {
    suite.set("two\nlines", forKey: "nickname")
    suite.set(Defaults.PropertyListValue.real(60), forKey: "advanced.timeout")
    let before = suite.entries
    var visitor = try PageVisitor(page)
    #expect(visitor.fields.count > 14)
    #expect(try visitor.submit().status == 303)
    #expect(suite.entries == before)
    #expect(visitor.html.contains("</html>"))
  }

  @Test(
    "A changed field of each kind of control is stored, and no other field",
    arguments: [
      (":launchAtLogin", "true", true), (":volume", "7", 7), (":theme", "dark", "dark"),
      (":nickname", "Bo", "Bo"), (":apiToken", "swordfish", "swordfish"),
      (":editor.tabWidth", "8", 8), (":editor.cursorBlink", "0.25", 0.25),
      (":editor.font", "serif", "serif"), (":editor.rulers", "72,\n90", [72, 90]),
      (":editor.showsMinimap", "false", false),
      (":advanced.headers", "{\"a\": \"b\"}", ["a": "b"]),
      (
        ":advanced.expires", "2026-11-25T12:30",
        .date(Date(timeIntervalSince1970: 1_795_609_800))
      ),
      (":advanced.timeout", "2m", 120.0),
      (":advanced.window", #"{"width":1,"height":2}"#, #"{"height":2,"width":1}"#),
    ] as [(String, String, Defaults.PropertyListValue)])
  func changed(field: String, text: String, entry: Defaults.PropertyListValue) throws {
    var visitor = try PageVisitor(page)
    visitor.fields[field] = text
    #expect(try visitor.submit().headers["Location"] == "?saved=1")
    #expect(suite.entries == [String(field.dropFirst()): entry])
    #expect(visitor.html.contains("Saved 1 setting"))
  }

  @Test("A submission without a change stores nothing for a toggle that is secret or has no value")
  func untouchedToggles() throws {
    let consent = Defaults.Key("consent", default: false, suite: suite, .secret)
    let terms = Defaults.Key<Bool>.required("acceptsTerms", suite: suite)
    suite[consent] = true
    let form = Defaults.SettingsForm(suite, keys: [consent, terms])
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    #expect(visitor.fields == visitor.fields.merging([":consent": "", ":acceptsTerms": ""]) { $1 })
    _ = try visitor.submit()
    #expect(suite.entries == ["consent": true])
    visitor.fields[":acceptsTerms"] = "true"
    visitor.fields[":consent"] = "false"
    _ = try visitor.submit()
    #expect(suite.entries == ["consent": false, "acceptsTerms": true])
  }

  @Test("A secret of any kind has a password field")
  func secretControls() throws {
    let keys: [Defaults.AnyKey] = [
      Defaults.Key("isOn", default: false, suite: suite, .secret),
      Defaults.Key("pin", default: 0, suite: suite, .secret, .in(0...9_999)),
      Defaults.Key("expires", default: Date(), suite: suite, .secret),
    ]
    let visitor = try PageVisitor(Defaults.SettingsPage(Defaults.SettingsForm(suite, keys: keys)))
    #expect(visitor.html.matches(of: /type="password"/).count == keys.count)
  }

  @Test("A submission stores a toggle that is switched off")
  func toggledOff() throws {
    suite.set(true, forKey: "launchAtLogin")
    var visitor = try PageVisitor(page)
    #expect(visitor.fields[":launchAtLogin"] == "true")
    visitor.fields[":launchAtLogin"] = "false"
    _ = try visitor.submit()
    #expect(suite.entry(named: "launchAtLogin") == false)
  }

  @Test("An empty field of an optional setting removes the setting's entry")
  func emptied() throws {
    suite.set("Bo", forKey: "nickname")
    var visitor = try PageVisitor(page)
    visitor.fields[":nickname"] = ""
    _ = try visitor.submit()
    #expect(suite.names.isEmpty)
  }

  @Test("An empty field stores nil if the setting stores nil, even if its default isn't nil")
  func emptiedWithDefault() throws {
    let kept = Defaults.Key<Int?>("kept", default: 5, coding: .storingNil(), suite: suite)
    let form = Defaults.SettingsForm(suite, keys: [kept])
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    visitor.fields[":kept"] = ""
    #expect(try visitor.submit().status == 303)
    #expect(suite[kept] == nil)
    #expect(visitor.fields[":kept"] == "")
  }

  @Test("The page can't clear an optional setting that would read its default instead of nil")
  func emptiedWithoutNil() throws {
    let isOn = Defaults.Key<Bool?>("isOn", default: true, suite: suite)
    let count = Defaults.Key<Int?>("count", default: 5, suite: suite)
    suite[count] = 7
    let form = Defaults.SettingsForm(suite, keys: [isOn, count])
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    #expect(!visitor.html.contains("(not set)"))
    visitor.fields[":count"] = ""
    #expect(try visitor.submit().status == 422)
    #expect(suite[count] == 7)
  }

  @Test("Among the choices of an optional setting, the empty text differs from no value")
  func emptyChoice() throws {
    let suffix = Defaults.Key<String?>("suffix", suite: suite, .choices(["", "a"]))
    let form = Defaults.SettingsForm(suite, keys: [suffix])
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    func options() -> [PageElement] { visitor.elements.filter { $0.name == "option" } }
    func selected() -> [Int] { options().indices.filter { options()[$0]["selected"] != nil } }
    #expect(options().first?.text == "(not set)")
    #expect(Set(options().compactMap { $0["value"] }).count == 3)
    #expect(selected() == [0])
    for (index, entry) in [(1, ""), (2, "a"), (1, ""), (0, nil)] as [(Int, String?)] {
      visitor.fields[":suffix"] = options()[index]["value"]
      #expect(try visitor.submit().headers["Location"] == "?saved=1")
      #expect(suite.entry(named: "suffix") == entry.map { .string($0) })
      #expect(selected() == [index])
      // Without a change, nothing is stored.
      #expect(try visitor.submit().headers["Location"] == "?saved=0")
    }
  }

  @Test("An empty choice isn't stored over a value that another program has removed meanwhile")
  func emptyChoiceAfterRemoval() throws {
    let suffix = Defaults.Key<String?>("suffix", suite: suite, .choices(["", "a"]))
    suite[suffix] = "a"
    let form = Defaults.SettingsForm(suite, keys: [suffix])
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    visitor.fields[":suffix"] = visitor.elements.filter { $0.name == "option" }[1]["value"]
    suite[suffix] = nil
    #expect(try visitor.submit().status == 422)
    #expect(suite.entry(named: "suffix") == nil)
    let shown = visitor.elements.filter { $0["selected"] != nil }.map { $0["value"] }
    #expect(shown == [visitor.fields[":suffix"]])
  }

  @Test("The page shows an invalid text again with the reason, and stores the other changes")
  func invalid() throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":editor.tabWidth"] = "99"
    visitor.fields[":volume"] = "7"
    #expect(try visitor.submit().status == 422)
    #expect(suite.entries == ["volume": 7])
    #expect(visitor.html.contains(#"value="99""#))
    #expect(visitor.html.contains(#"aria-invalid="true""#))
    #expect(visitor.html.contains("Saved 1 setting, 1 setting not saved"))
  }

  @Test("A button of the page resets a setting or removes a secret")
  func reset() throws {
    suite.set(7, forKey: "volume")
    suite.set("swordfish", forKey: "apiToken")
    var visitor = try PageVisitor(page)
    for name in ["volume", "apiToken"] {
      #expect(visitor.html.contains(#"<button name="reset" value=":\#(name)""#))
      visitor.fields["reset"] = ":\(name)"
      _ = try visitor.submit()
    }
    #expect(suite.names.isEmpty)
    #expect(!visitor.html.contains("name=\"reset\""))
  }

  @Test("A value that another program changes after the page was loaded isn't overwritten")
  func conflict() throws {
    var visitor = try PageVisitor(page)
    suite.set(3, forKey: "volume")
    visitor.fields[":volume"] = "7"
    let response = try visitor.submit()
    #expect(response.status == 422 && response.text.contains("Another program has changed"))
    #expect(suite.entry(named: "volume") == 3)
    // The new page has the new value, so the user may insist.
    visitor.fields = PageVisitor.fields(of: PageElement.all(in: response.text))
    #expect(visitor.fields[":volume"] == "7")
    #expect(try visitor.submit().status == 303)
    #expect(suite.entry(named: "volume") == 7)
  }

  @Test("Fields that the user left alone keep the changes of another program")
  func merge() throws {
    var visitor = try PageVisitor(page)
    suite.set(3, forKey: "volume")
    visitor.fields[":theme"] = "dark"
    #expect(try visitor.submit().status == 303)
    #expect(suite.entries == ["volume": 3, "theme": "dark"])
  }

  @Test("A managed setting has no control, and a forged field for it is rejected")
  func managed() throws {
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("policy", Manual(["volume": 9]), isManaged: true),
      .writable(Defaults.MemorySuite()))
    let form = Defaults.SettingsForm(suite, schema: SampleSettings.self)
    var visitor = try PageVisitor(Defaults.SettingsPage(form))
    #expect(visitor.fields[":volume"] == nil)
    #expect(visitor.html.contains("Managed by an administrator"))
    visitor.fields[":volume"] = "1"
    #expect(try visitor.submit().status == 422)
    #expect(form.row("volume")?.value == "9")
  }

  @Test("The page answers its script's submission of one field with a message and the row's HTML")
  func script() throws {
    var visitor = try PageVisitor(page)
    visitor.fields = visitor.fields.filter { ["token", "seen"].contains($0.key) }
    visitor.fields[":volume"] = "7"
    let response = try visitor.submit(changing: ["Accept": "application/json"])
    #expect(response.status == 200)
    #expect(response.text.contains(#""message":"Saved 1 setting""#))
    #expect(response.text.contains(#"value=\"7\""#))
    visitor.fields[":volume"] = "70"
    let rejected = try visitor.submit(changing: ["Accept": "application/json"])
    #expect(rejected.text.contains("Another program has changed"))
  }

  @Test("The page answers its script with the row of an unchanged field, to remove a rejection")
  func unchangedField() throws {
    var visitor = try PageVisitor(page)
    visitor.fields = visitor.fields.filter { ["token", "seen", ":volume"].contains($0.key) }
    let response = try visitor.submit(changing: ["Accept": "application/json"])
    #expect(response.text.contains(#""message":"Nothing was changed""#))
    #expect(response.text.contains(#"value=\"5\""#))
    #expect(suite.names.isEmpty)
  }

  @Test("A control character is an escape in the page, and is submitted unchanged")
  func escapes() throws {
    let value = "a\u{0}\u{1B}\r\u{202E}\\u{41}b\n c"
    suite.set(value, forKey: "nickname")
    var visitor = try PageVisitor(page)
    #expect(
      !visitor.html.unicodeScalars.contains { "\u{0}\u{1B}\r\u{202E}".unicodeScalars.contains($0) })
    visitor.fields[":nickname"] = (visitor.fields[":nickname"] ?? "") + "!"
    _ = try visitor.submit()
    #expect(suite.entry(named: "nickname") == .string(value + "!"))
  }
}
