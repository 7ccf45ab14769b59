import Defaults
import DefaultsLayers
import DefaultsPage
import PageProgram
import Foundation
import Harness
import TestSupport
import Testing

@Suite("Hostile texts in the page", .tags(.slow))
struct HostileTextTests {
  private static let pieces = [
    "<script>alert(1)</script>", "\"", "'", "<", ">", "&", "&lt;", "&#0;", "</textarea>", "<!--",
    "-->", "]]>", "</script>", "</style>", "<img src=x onerror=alert(1)>",
    "\" autofocus onfocus=\"",
    "' onclick='", "javascript:alert(1)", "\u{0}", "\u{202E}", "\u{2028}", "\r\n", "\n", "\t",
    "\\u{3C}", "%3C", "=", ";", "`", "{{", "\u{FEFF}", "\u{FFFE}", "+ADw-", "é", "😀", "\u{301}",
    "<svg/onload=alert(1)>", "<form action=//evil>", "<base href=//evil>", "a", " ",
  ]

  private static func text(_ seed: inout UInt64) -> String {
    (0..<3).map { _ in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return pieces[Int(seed >> 33) % pieces.count]
    }.joined()
  }

  @Test("The names, values and descriptions of 10,000 hostile settings never become markup")
  func texts() throws {
    var seed: UInt64 = 34
    let suite = Defaults.MemorySuite()
    for _ in 0..<10 {
      let keys = (0..<1_000).map { index -> Defaults.AnyKey in
        let name = "\(Self.text(&seed)).\(index)\(Self.text(&seed))"
        let choices = [Self.text(&seed) + "1", Self.text(&seed) + "2"]
        return switch index % 3 {
        case 0: Defaults.Key<String>(name, default: "", suite: suite, .about(Self.text(&seed)))
        case 1: Defaults.Key<String?>(name, suite: suite, .about(Self.text(&seed)))
        default: Defaults.Key<String>(name, default: choices[0], suite: suite, .choices(choices))
        }
      }
      var values: [String: Defaults.PropertyListValue] = [:]
      for key in keys where key.choices == nil { values[key.name] = .string(Self.text(&seed)) }
      try suite.setEntries(values)
      let form = Defaults.SettingsForm(suite, keys: keys)
      let visitor = try PageVisitor(Defaults.SettingsPage(form, title: Self.text(&seed)))
      #expect(Self.foreign(in: visitor.html, visitor.elements) == [])
      let html = form.html(title: Self.text(&seed), matching: Self.text(&seed))
      #expect(Self.foreign(in: html) == [])
      // Each field comes back as it was.
      #expect(visitor.fields.count == 1_002)
      var unchanged = visitor
      #expect(try unchanged.submit().headers["Location"] == "?saved=0")
      _ = suite.setEmpty()
    }
  }

  @Test("If the page rejects a hostile text, the text is shown again as text, not as markup")
  func rejected() throws {
    let suite = Defaults.MemorySuite()
    let page = Defaults.SettingsPage(Defaults.SettingsForm(suite, schema: SampleSettings.self))
    var seed: UInt64 = 1
    for _ in 0..<100 {
      var visitor = try PageVisitor(page)
      for field in [
        ":volume", ":theme", ":advanced.window", ":\(Self.text(&seed))", Self.text(&seed),
      ] {
        visitor.fields[field] = Self.text(&seed) + "x"
      }
      let response = try visitor.submit()
      #expect(response.status == 422)
      #expect(Self.foreign(in: response.text) == [])
      let script = try visitor.submit(changing: ["Accept": "application/json"])
      #expect(!script.text.contains("<script>alert"))
    }
    #expect(suite.names.isEmpty)
  }

  @Test("A random query or path is answered with the same page, and nothing is written")
  func queries() throws {
    let suite = Defaults.MemorySuite()
    let page = Defaults.SettingsPage(Defaults.SettingsForm(suite, schema: SampleSettings.self))
    var seed: UInt64 = 2
    for _ in 0..<500 {
      let query = PageVisitor.body(["q": Self.text(&seed), "saved": Self.text(&seed)])
      let response = page.respond(
        to: .init(
          path: "/\(Self.text(&seed))?\(String(decoding: query, as: UTF8.self))",
          headers: ["Host": "localhost"]))
      #expect([200, 400].contains(response.status))
      #expect(response.status == 400 || Self.foreign(in: response.text) == [])
    }
    #expect(suite.names.isEmpty)
  }

  private static let knownElements: Set = [
    "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "form",
    "label", "input", "button", "small", "nav", "details", "summary", "main", "div", "p",
    "section", "h2", "b", "code", "select", "option", "textarea", "samp", "strong", "script",
    "ul", "li",
  ]
  private static let knownAttributes: Set = [
    "lang", "charset", "http-equiv", "content", "name", "class", "href", "role", "for", "type",
    "id", "aria-describedby", "value", "method", "autocomplete", "data-state", "aria-labelledby",
    "data-layer", "hidden", "checked", "selected", "rows", "aria-label", "aria-invalid", "min",
    "max", "step", "html",
  ]

  /// Elements, attributes and characters that the page never contains itself.
  private static func foreign(in html: String, _ elements: [PageElement]? = nil) -> [String] {
    var foreign: [String] = []
    for element in elements ?? PageElement.all(in: html) {
      let name = element.name.hasPrefix("/") ? String(element.name.dropFirst()) : element.name
      if !knownElements.contains(name) { foreign.append(element.name) }
      for attribute in element.attributes where !knownAttributes.contains(attribute.name) {
        foreign.append(attribute.name)
      }
    }
    return foreign + (PageReader.containsZero(html) ? ["zero"] : [])
      + ["\r", "\u{202E}", "\u{2028}"].filter { PageReader.contains($0, in: html) }
  }
}

extension Defaults.MemorySuite {
  /// Removes all entries.
  fileprivate func setEmpty() -> Bool {
    Defaults.removeAll(suite: self)
    return names.isEmpty
  }
}
