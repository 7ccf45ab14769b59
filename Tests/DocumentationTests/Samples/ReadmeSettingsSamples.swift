import Defaults
import DefaultsText
import DefaultsCompression
import Foundation
import Observation
import TestSupport
import Testing

// Samples of the articles about codings, settings as properties, import and export, migration and
// bulk operations. Each test has its own suite.

private struct Device: Codable, Equatable {
  var name = "phone"
}

private enum Fruit: String { case apple, banana }

private struct Visit: Codable, Equatable {
  var page: Int
}

private struct Corner: Equatable {
  var x = 0.0
  var y = 0.0

  init() {}
  init?(_ stored: [Double]) {
    guard stored.count == 2 else { return nil }
    (x, y) = (stored[0], stored[1])
  }
}

private struct Tint: Equatable {
  var hex = "#000000"

  init() {}
  init?(hex: String) {
    guard hex.hasPrefix("#") else { return nil }
    self.hex = hex
  }
}

extension Defaults.Coding where Value == Tint {
  fileprivate static var hex: Self { .custom(encode: { $0.hex }, decode: { Tint(hex: $0) }) }
}

extension Defaults.Keys {
  fileprivate static let device = Key("device", default: Device(), coding: .propertyList)
  fileprivate static let sound = Key(
    "sound", default: true, coding: .text(true: "yes", false: "no"))
  fileprivate static let serial = Key<UInt64?>("serial", coding: .text)
  fileprivate static let fruits = Key<[Fruit]>(
    "fruits", default: [], coding: .array(of: .rawValue))
  fileprivate static let since = Key<Date?>("since", coding: .iso8601.reading(.timeInterval))
  fileprivate static let history = Key<[Visit]>(
    "history", default: [], coding: .json.compressed.base64)
  fileprivate static let corner = Key(
    "corner", default: Corner(), coding: .custom(encode: { [$0.x, $0.y] }, decode: { Corner($0) }))
  fileprivate static let tint = Key("tint", default: Tint(), coding: .hex)

  fileprivate static let loudness = Key(
    "loudness", default: 5, .in(0...11), .about("Loudness, 0 to 11"))
  fileprivate static let port = Key<Int?>("port", .in(1...65535))
  fileprivate static let user = Key("user", default: "me", .matching("[a-z]+"), .count(1...8))
  fileprivate static let steps = Key(
    "steps", default: 2, .check("must be even") { $0.isMultiple(of: 2) })
  fileprivate static let digits = Key("digits", default: [1], .each(.in(0...9)))
  fileprivate static let token = Key<String?>("token", .secret)

  fileprivate static let volume = Key("volume", default: 5)
  fileprivate static let nickname = Key<String?>("nickname")
  fileprivate static let launches = Key("launches", default: 0)
  fileprivate static let hasUnicorn = Key("hasUnicorn", default: false, suite: managed)
}

private let managed = Defaults.MemorySuite(label: "samples of the README")

private struct Editor: Defaults.Schema {
  @Stored var tabWidth = 2
}

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var nickname: String?
  @Stored(name: "window-title") var title = "Main"
  @Stored(coding: .iso8601) var expiry: Date?
  @Stored(.renamed(from: "loud")) var gain = 1
  @Stored(.generatedOnce) var installation = UUID()
  var editor = Editor()
}

private final class SharedPreferences: Defaults.Settings {
  @Stored var volume = 5
}

@Observable
private final class UnicornManager {
  @ObservableDefault(.hasUnicorn)
  @ObservationIgnored
  var hasUnicorn: Bool
}

@Suite("Article samples: codings, properties, import and export")
struct ReadmeSettingsSamples {
  let folder: TemporaryFolder
  let suite: Defaults.PropertyListSuite

  init() throws {
    folder = try TemporaryFolder()
    suite = try Defaults.PropertyListSuite(url: folder.url("Defaults.plist"))
  }

  @Test("Each coding stores the form that its comment shows")
  func codings() throws {
    suite[.device] = Device(name: "tablet")
    suite[.sound] = false
    suite[.serial] = .max
    suite[.fruits] = [.banana]
    suite[.since] = Date(timeIntervalSinceReferenceDate: 0)
    suite[.corner] = try #require(Corner([1, 2]))
    suite[.tint] = try #require(Tint(hex: "#ff0000"))
    #expect(
      suite.entries == [
        "device": ["name": "tablet"], "sound": "no", "serial": "18446744073709551615",
        "fruits": ["banana"], "since": "2001-01-01T00:00:00Z", "corner": [1.0, 2.0],
        "tint": "#ff0000",
      ])
    suite[.history] = [Visit(page: 1)]
    #expect(suite.entry(named: "history") != nil && suite[.history] == [Visit(page: 1)])
  }

  @Test("Besides the form that it writes, a coding reads the other forms in the article")
  func tolerantCodings() throws {
    for (stored, value) in [("YES", true), ("off", false), ("on", true)] {
      suite.set(stored, forKey: "sound")
      #expect(try suite.value(for: .sound) == value)
    }
    suite.set(1, forKey: "sound")
    #expect(try suite.value(for: .sound))
    suite.set(0.5, forKey: "since")
    #expect(suite[.since] == Date(timeIntervalSinceReferenceDate: 0.5))
  }

  @Test("Limits, descriptions, texts and a JSON Schema come from the declaration")
  func traits() throws {
    let keys: [Defaults.AnyKey] = [.loudness, .port, .user, .steps, .digits, .token]
    #expect(throws: Defaults.SuiteError.self) { try suite.set(12, for: .loudness) }
    #expect(
      keys.map { "\($0.name) \(suite.text(for: $0) ?? "-") \($0.acceptedValues) \($0.about ?? "")" }
        == [
          "loudness 5 a whole number, 0 to 11 Loudness, 0 to 11",
          "port - a whole number, 1 to 65535 ",
          "user me text that matches [a-z]+, 1 to 8 characters ",
          "steps 2 a whole number that must be even ",
          "digits 1 comma-separated whole numbers, each 0 to 9 ", "token - text ",
        ])
    try suite.set(text: "7", for: .loudness)
    #expect(suite[.loudness] == 7)
    #expect(Defaults.jsonSchema(of: keys).contains("\"maximum\": 65535"))
    suite.set(1, forKey: "volune")
    #expect(
      suite.unknownNames(declaring: [.volume, .loudness]).description == "[volune (volume?)]")
  }

  @Test("Sample: the properties of a struct are settings")
  func properties() async {
    let preferences = Preferences(suite: suite)
    preferences.volume += 1
    #expect(suite[.volume] == 6)
    for await volume in Defaults.updates(preferences.$volume) {
      #expect(volume == 6)
      break
    }
    preferences.editor.tabWidth = 4
    preferences.title = "x"
    #expect(suite.entries == ["volume": 6, "editor.tabWidth": 4, "window-title": "x"])

    var lines: [String] = []
    for property in preferences.storedProperties {
      lines.append(
        "\(property.name) \(property.type) \(property.value) \(property.defaultValue) "
          + "\(property.isSet)")
    }
    #expect(lines.first == "volume Int 6 5 true")
    #expect(lines.count == 7 && lines.last == "editor.tabWidth Int 4 2 true")
    preferences.resetAll()
    #expect(suite.entries == [:])
  }

  @Test("A property is tracked when another object or a key changes it")
  func tracking() {
    let preferences = Preferences(suite: suite)
    let manager = UnicornManager()
    let changes = Log<Int>()
    withObservationTracking {
      _ = preferences.volume
    } onChange: {
      changes.append(preferences.volume)
    }
    withObservationTracking {
      _ = manager.hasUnicorn
    } onChange: {
      changes.append(-1)
    }
    Defaults.withSuite(suite) { SharedPreferences().volume = 7 }
    Defaults[.hasUnicorn] = true
    #expect(changes.all == [7, -1])
    #expect(manager.hasUnicorn)
  }

  @Test("Exported entries are imported unchanged")
  func transfer() throws {
    suite[.volume] = 7
    suite[.nickname] = "Bo"
    let file = folder.url("export.json")
    try suite.export(to: file, as: .json)
    let text = try suite.exportString(.keys(.volume, .nickname), as: .plist)
    let data = try suite.exportData(.prefix("editor."), as: .json)
    #expect(data == Data("{}\n".utf8))

    suite[.volume] = 8
    try suite.importEntries(from: file, as: .json, by: .replace)
    #expect(suite[.volume] == 7)
    suite[.volume] = 9
    suite[.nickname] = nil
    let result = try suite.importEntries(
      from: text, as: .plist, by: .merge { name, ours, theirs in ours })
    #expect(result.added == ["nickname"] && result.updated == [] && result.removed == [])
    #expect(suite.entries == ["volume": 9, "nickname": "Bo"])
  }

  @Test("An export to JSON follows the documented convention")
  func convention() throws {
    let json = """
      {"d":{"$date":"2026-11-21T13:03:44.25Z"},"i":{"$integer":"18446744073709551615"},\
      "x":{"$data":"AAEC"}}
      """
    try suite.importEntries(from: json, as: .json, by: .replace)
    #expect(suite.entry(named: "i") == .unsignedInteger(.max))
    #expect(suite.entry(named: "x") == .data(Data([0, 1, 2])))
    #expect(try suite.exportString(as: .compactJSON) == json)
  }

  @Test("Settings are imported from UserDefaults and migrated", .needsUserDefaults)
  func moving() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(11, forKey: "volume")
    userDefaults.set(1, forKey: "hasUnicorn")
    let report = try suite.importUserDefaults(.keys(.volume, .hasUnicorn), from: userDefaults)
    #expect(report.taken == ["volume", "hasUnicorn"] && "\(report)".contains("volume"))
    #expect(suite.entry(named: "hasUnicorn") == true)

    suite.set("red", forKey: "tint")
    try suite.migrate(
      to: 2,
      steps: [
        .init(1) { draft in try draft.renameEntry("tint", to: "color") },
        .init(2) { draft in draft.removeEntry(named: "cache") },
      ])
    #expect(suite.string(forKey: "color") == "red")
    #expect(try suite.version == 2)
  }

  @Test("Several settings are set, counted and listed at once")
  func bulk() throws {
    suite[.volume] = 3
    try suite.setValues((.volume, 5), (.nickname, "Bo"), skippingPresent: true)
    #expect(suite[.volume] == 3 && suite[.nickname] == "Bo")
    let launches = try suite.increment(.launches)
    #expect(launches == 1 && suite.contains(.launches))
    #expect(suite.names(prefix: "n") == ["nickname"])
    #expect(try suite.fileSizes().log > 0)
  }
}
