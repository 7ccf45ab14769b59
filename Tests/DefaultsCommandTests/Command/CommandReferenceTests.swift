import Defaults
import DefaultsCommand
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

private enum Theme: String, CaseIterable, Defaults.Serializable { case light, dark, highContrast }

private struct Editor: Defaults.Schema {
  @Stored(.in(1...8), .about("Columns of a tab")) var tabWidth = 4
  @Stored var ruler: [Int] = [80, 100]
}

private struct Preferences: Defaults.Schema {
  @Stored(.in(0...11), .about("Loudness -- from 0 to 11")) var volume = 5
  @Stored(.in(0.0...1.0)) var quality = 0.8
  @Stored var isQuiet = false
  @Stored var theme = Theme.light
  @Stored(.about("Shown in the title|bar")) var nickname: String?
  @Stored(.required) var port: Int
  @Stored(.secret) var token = "not to be printed"
  @Stored var motto = "say \"hi\"\nto $USER <all>"
  var editor = Editor()
}

@Suite("Reference files of the settings command")
struct CommandReferenceTests {
  private let suite = Defaults.MemorySuite()
  private var keys: [Defaults.AnyKey] { Preferences(suite: suite).keys }

  private func sample(_ format: Defaults.SampleFile) -> String {
    format.text(of: keys, program: "tool") {
      Defaults.environmentVariable(of: $0, prefix: "APP_")
    }
  }

  /// The default of each setting that has one and isn't secret.
  private var defaults: [String: Defaults.PropertyListValue] {
    [
      "volume": 5, "quality": 0.8, "isQuiet": false, "theme": "light",
      "motto": "say \"hi\"\nto $USER <all>", "editor.tabWidth": 4, "editor.ruler": [80, 100],
    ]
  }

  @Test("A sample file sets nothing; with its comment marks removed, it sets the defaults")
  func jsonc() throws {
    let format = Defaults.JSONFormat(allowsComments: true)
    let text = sample(.jsonc)
    #expect(try format.decode(Data(text.utf8)) == [:])
    let used = text.replacing("  // \"", with: "  \"")
    var entries = try format.decode(Data(used.utf8))
    // A setting without a default has the simplest value.
    #expect(entries.removeValue(forKey: "nickname") == "")
    #expect(entries.removeValue(forKey: "port") == 0)
    #expect(entries.removeValue(forKey: "token") == "")
    #expect(entries == defaults)
  }

  @Test("In a sample file, settings without a default have an allowed value or a placeholder")
  func samplesWithoutDefaults() throws {
    let keys: [Defaults.AnyKey] = [
      Defaults.Key<Date?>("due", coding: .iso8601, suite: suite),
      Defaults.Key<Theme?>("look", suite: suite), Defaults.Key<UUID?>("device", suite: suite),
      Defaults.Key<URL?>("page", suite: suite),
      Defaults.Key<Int>.required("limit", suite: suite, .in(1...8)),
    ]
    let token = Defaults.Key<String?>("pin", suite: suite, .count(8...64))
    let text = Defaults.SampleFile.jsonc.text(of: keys + [token], program: "tool") { _ in nil }
    let used = text.replacing("  // \"", with: "  \"")
    let entries = try Defaults.JSONFormat(allowsComments: true).decode(Data(used.utf8))
    for key in keys {
      let entry = try #require(entries[key.name])
      #expect(key.problem(with: entry) == nil, "\(key.name): \(entry)")
    }
    #expect(entries["look"] == "light" && entries["limit"] == 1 && entries["pin"] == "…")
  }

  @Test("In a sample file, dates and data have the same form in the comment and in the value")
  func dates() throws {
    let date = try Date("2026-11-21T08:30:00Z", strategy: .iso8601)
    let keys: [Defaults.AnyKey] = [
      Defaults.Key("due", default: date, suite: suite),
      Defaults.Key("icon", default: Data([0, 1, 2]), suite: suite),
      Defaults.Key("since", default: date, coding: .iso8601, suite: suite),
    ]
    let text = Defaults.SampleFile.jsonc.text(of: keys, program: "tool") { _ in nil }
    for line in [
      #"// A date such as {"$date":"2026-11-21T13:00:00Z"}; "#
        + #"by default {"$date":"2026-11-21T08:30:00Z"}"#,
      #"// "due":{"$date":"2026-11-21T08:30:00Z"},"#,
      #"// Data in base 64, such as {"$data":"AAEC"}; by default {"$data":"AAEC"}"#,
      #"// "icon":{"$data":"AAEC"},"#,
      "// A date such as 2026-11-21T13:00:00Z; by default 2026-11-21T08:30:00Z",
      #"// "since":"2026-11-21T08:30:00Z","#,
    ] {
      #expect(text.contains("  \(line)\n"), "\(line) in \(text)")
    }
  }

  @Test("A sample file describes each setting's purpose, values and default")
  func comments() {
    let text = sample(.jsonc)
    for line in [
      "  // Loudness -- from 0 to 11", "  // A whole number, 0 to 11; by default 5",
      "  // A whole number; required", "  // One of light, dark, highContrast; by default light",
      "  // Text; not set by default", "  // Secret; text; not set by default",
      "// The settings of tool.",
    ] {
      #expect(text.contains(line + "\n"), "\(line) in \(text)")
    }
    #expect(!text.contains("not to be printed"))
  }

  @Test("A sample property list is valid, and its commented elements are the defaults")
  func plist() throws {
    let text = sample(.plist)
    #expect(try Defaults.PropertyListFormat.xml.decode(Data(text.utf8)).isEmpty)
    let used = text.replacing("<!-- <key>", with: "<key>")
      .replacing(/(<\/\w+>|<\w+\/>) -->/) { String($0.output.1) }
    let entries = try Defaults.PropertyListFormat.xml.decode(Data(used.utf8))
    #expect(entries.filter { defaults[$0.key] != nil } == defaults)
  }

  @Test(
    "A sample property list has the element of a text with several lines only if it is exact",
    arguments: [
      ("a\nb", true), ("\ta", true), ("a\n\nb", false), ("a\n\tb", false), ("a\n", true),
    ])
  func multilineTexts(text: String, isExact: Bool) throws {
    let key = Defaults.Key("motto", default: [text], suite: suite)
    let sample = Defaults.SampleFile.plist.text(of: [key], program: "tool") { _ in nil }
    let used = sample.replacing("<!-- <key>", with: "<key>").replacing(
      "</array> -->", with: "</array>")
    let entries = try Defaults.PropertyListFormat.xml.decode(Data(used.utf8))
    #expect(entries == (isExact ? ["motto": [.string(text)]] : [:]))
  }

  @Test(
    "No comment of a sample property list has two hyphens in a row, whatever the texts are",
    arguments: ["--->", "-", "----", "a-- -", "--\u{301}-"])
  func hyphens(text: String) throws {
    let key = Defaults.Key("motto", default: text, suite: suite, .about(text))
    let sample = Defaults.SampleFile.plist.text(of: [key], program: text) { _ in nil }
    #expect(try Defaults.PropertyListFormat.xml.decode(Data(sample.utf8)).isEmpty)
    let scalars = sample.unicodeScalars
    let pairs = zip(scalars, scalars.dropFirst()).count { $0 == ("-", "-") }
    #expect(pairs == 2 * sample.split(separator: "\n").count { $0.contains("<!--") })
  }

  @Test("A sample dotenv file has a commented variable for each setting")
  func dotenv() {
    let lines = sample(.dotenv).split(separator: "\n")
    for line in [
      "# APP_VOLUME=5", "# APP_IS_QUIET=false", "# APP_THEME=light", "# APP_PORT=",
      "# APP_EDITOR_TAB_WIDTH=4", "# APP_MOTTO=\"say \\\"hi\\\"\\nto \\$USER <all>\"",
    ] {
      #expect(lines.contains { $0 == line }, "\(line) in \(lines)")
    }
    #expect(lines.allSatisfy { $0.hasPrefix("#") })
  }

  @Test("A layer reads a text with carriage returns exactly from a sample dotenv file")
  func dotenvRoundTrip() throws {
    let folder = try TemporaryFolder()
    let text = "a\rb\r\nc\td \"e\" \\n $F '#' \u{e9}"
    let key = Defaults.Key("motto", default: text, suite: suite)
    let sample = Defaults.SampleFile.dotenv.text(of: [key], program: "tool") {
      Defaults.environmentVariable(of: $0, prefix: "APP_")
    }
    try folder.write(sample.replacing("# APP_", with: "APP_"), to: "app.env")
    let layered = try Defaults.LayeredSuite(
      .dotenv(folder.url("app.env"), prefix: "APP_"), .writable(Defaults.MemorySuite()))
    #expect(layered[Defaults.Key<String?>("motto", suite: layered)] == text)
  }

  @Test("The reference page has a table for each group, and Markdown characters are escaped")
  func markdown() {
    let text = Defaults.markdownReference(of: keys, title: "Settings of tool") {
      Defaults.environmentVariable(of: $0, prefix: "APP_")
    }
    #expect(
      text.contains(
        "| `volume` | `APP_VOLUME` | a whole number, 0 to 11 | `5` | Loudness -- from 0 to 11 |"))
    #expect(text.contains("| not set | Shown in the title\\|bar |"))
    #expect(text.contains("| `port` | `APP_PORT` | a whole number | required |  |"))
    #expect(text.contains("| `token` | `APP_TOKEN` | text | secret |  |"))
    #expect(text.contains("\n## editor\n\n| Setting |"))
    #expect(!text.contains("not to be printed"))
  }

  @Test("A settings bundle has an element for each setting that the Settings app can show")
  func bundle() throws {
    let (root, omitted) = Defaults.settingsBundle(of: keys)
    guard case .dictionary(let entries) = root,
      case .array(let elements)? = entries["PreferenceSpecifiers"]
    else {
      Issue.record("no elements")
      return
    }
    #expect(omitted == ["editor.ruler"])
    #expect(elements.contains(["Type": "PSGroupSpecifier", "Title": "Editor"]))
    #expect(
      elements.contains([
        "Type": "PSToggleSwitchSpecifier", "Key": "isQuiet", "Title": "Is quiet",
        "DefaultValue": false,
      ]))
    #expect(
      elements.contains([
        "Type": "PSMultiValueSpecifier", "Key": "theme", "Title": "Theme",
        "DefaultValue": "light", "Titles": ["Light", "Dark", "High contrast"],
        "Values": ["light", "dark", "highContrast"],
      ]))
    #expect(
      elements.contains([
        "Type": "PSSliderSpecifier", "Key": "quality", "DefaultValue": 0.8, "MinimumValue": 0.0,
        "MaximumValue": 1.0,
      ]))
    #expect(
      elements.contains([
        "Type": "PSTextFieldSpecifier", "Key": "token", "Title": "Token", "IsSecure": true,
        "AutocapitalizationType": "None", "AutocorrectionType": "No",
      ]))
    // A number in two optionals is stored as an array, for which the app has no element.
    let nested = Defaults.Key<Int??>("nested", default: 5, suite: Defaults.MemorySuite())
    #expect(Defaults.settingsBundle(of: [nested]).omitted == ["nested"])
  }

  @Test("The bundle verb creates a file and never replaces an existing one")
  func bundleVerb() throws {
    let folder = try TemporaryFolder()
    let command = Defaults.Command(keys, suite: suite, name: "tool settings")
    try command.run(["bundle", folder.path])
    let file = folder.url("Settings.bundle/Root.plist")
    let entries = try Defaults.PropertyListFormat.xml.decode(Data(contentsOf: file))
    #expect(Set(entries.keys) == ["StringsTable", "PreferenceSpecifiers"])
    let error = #expect(throws: Defaults.CommandError.self) {
      try command.run(["bundle", folder.path])
    }
    #expect(error?.status == 73)
    #expect(
      error?.description.hasSuffix("the file exists; remove it, or choose another folder") == true)
  }

  @Test("A sample file uses the environment prefix of the suite's layer")
  func prefix() throws {
    let layered = try Defaults.LayeredSuite(.environment(prefix: "TOOL_", [:]), .writable(suite))
    #expect(layered.environmentPrefix == "TOOL_")
    #expect(suite.environmentPrefix == nil)
    let command = Defaults.Command(keys, suite: layered, name: "tool settings")
    let error = #expect(throws: Defaults.CommandError.self) {
      try command.run(["sample", "--as", "yaml"])
    }
    #expect(error?.status == 64)
  }
}
