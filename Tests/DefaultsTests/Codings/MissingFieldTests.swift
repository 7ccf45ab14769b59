import Defaults
import DefaultsCompression
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Codable values with missing fields")
struct MissingFieldTests {
  private typealias Stored = Defaults.PropertyListValue

  private let issues = Log<Defaults.Issue>()
  private let suite: Defaults.MemorySuite

  init() {
    suite = Defaults.MemorySuite(onIssue: { [issues] in issues.append($0) })
  }

  private func store(_ entry: Stored, named name: String) { suite.set(entry, forKey: name) }

  /// Every stored form of a structure.
  private enum Form: CaseIterable {
    case propertyList, json, data, base64, compressed, older, olderFirst, optional, storingNil

    func coding<Value: Codable & Sendable>(_: Value.Type) -> Defaults.Coding<Value> {
      switch self {
      case .propertyList: .propertyList
      case .json: .json
      case .data: .jsonData
      case .base64: .json.base64
      case .compressed: .json.compressed.base64
      case .older: .json.reading(.propertyList)
      case .olderFirst: .propertyList.reading(.json)
      case .optional, .storingNil: .json
      }
    }
  }

  /// Stores an old value in a form, and returns the value that a key of a newer type reads.
  private func read<Old: Codable & Sendable, New: Codable & Sendable>(
    _ old: Old, as form: Form, default value: New
  ) throws -> (value: New?, entry: Stored?) {
    let key = Defaults.Key("value", default: old, coding: form.coding(Old.self), suite: suite)
    try suite.set(old, for: key)
    let entry = suite.entry(named: "value")
    switch form {
    case .optional:
      let key = Defaults.Key<New?>("value", default: value, coding: .optional(.json), suite: suite)
      return (suite[key], entry)
    case .storingNil:
      let key = Defaults.Key<New?>(
        "value", default: value, coding: .storingNil(.json), suite: suite)
      return (suite[key], entry)
    default:
      let key = Defaults.Key("value", default: value, coding: form.coding(New.self), suite: suite)
      return (suite[key], entry)
    }
  }

  @Test(
    "A new property gets its default value, and the stored values stay", arguments: Form.allCases)
  private func newProperty(_ form: Form) throws {
    let (value, entry) = try read(
      OldWindow(title: "Mine", icon: nil), as: form, default: GrownWindow())
    // Missing because it was nil: it stays nil.
    #expect(value == GrownWindow(title: "Mine", icon: nil))
    #expect(issues.codes.filter { $0 != .conflictingDeclarations } == [])
    // A read doesn't write.
    #expect(suite.entry(named: "value") == entry)
  }

  @Test(
    "A new property of a nested structure gets the value of the default", arguments: Form.allCases)
  private func nested(_ form: Form) throws {
    struct Before: Codable { var frame = ["x": 7] }
    struct After: Codable, Equatable { var frame = GrownWindow.Frame(x: 2, y: 3) }
    #expect(try read(Before(), as: form, default: After()).value == After(frame: .init(x: 7, y: 3)))
  }

  private struct Screen: Codable, Equatable {
    var window: GrownWindow?
  }

  @Test("A stored structure without a new property is undecodable if the default is nil")
  func nilInDefault() throws {
    store(.string(#"{"window":{"title":"Mine"}}"#), named: "value")
    let key = Defaults.Key("value", default: Screen(), coding: .json, suite: suite)
    #expect(suite[key] == Screen())
    #expect(issues.codes == [.undecodable])
    let full = Defaults.Key(
      "value", default: Screen(window: GrownWindow()), coding: .json, suite: suite)
    #expect(suite[full] == Screen(window: GrownWindow(title: "Mine", icon: nil)))
  }

  @Test(
    "A field with an invalid value is reported as an issue, and isn't replaced by a default",
    arguments: [
      #"{"title":5}"#, #"{"title":null}"#, #"{"title":"a","zoom":"much"}"#, #"{"title":"a""#, "[]",
      #"{"frame":{"x":"1"}}"#, #"{"frame":[]}"#, #"{"panes":[{"width":true}]}"#, #""title""#,
    ])
  func damage(_ json: String) {
    store(.string(json), named: "window")
    let key = Defaults.Key("window", default: GrownWindow(), coding: .json, suite: suite)
    #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(suite[key] == GrownWindow())
    #expect(issues.codes == [.undecodable])
    #expect(suite.entry(named: "window") == .string(json))
  }

  @Test("An invalid field is reported also when other fields are missing")
  func reason() throws {
    store(["frame": ["x": "a"]], named: "window")
    let key = Defaults.Key("window", default: GrownWindow(), coding: .propertyList, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(error?.reason.contains("frame.x: it is a string, and an integer was expected") == true)
  }

  @Test("Fields that are present keep their exact digits and characters")
  func exactness() throws {
    struct Numbers: Codable, Equatable {
      var decimal = Decimal(0)
      var large = UInt64(0)
      var real = 0.0
      var text = ""
      var added = 1
    }
    store(
      .string(
        #"{ "decimal" : 123456789012345678901234567890.12345678, "large":18446744073709551615, "#
          + #""real":-0.0,"te\u0078t":"\"{\\\u00e9\n]" }"#), named: "value")
    let key = Defaults.Key("value", default: Numbers(), coding: .json, suite: suite)
    let value = try suite.value(for: key)
    #expect(value.decimal == Decimal(string: "123456789012345678901234567890.12345678"))
    #expect(value.large == .max)
    #expect(value.real.sign == .minus)
    #expect(value.text == "\"{\\é\n]")
    #expect(value.added == 1)
  }

  @Test("A registered default fills missing fields in place of the key's own default")
  func registered() {
    suite.register(defaults: ["window": #"{"title":"Registered","zoom":9}"#])
    store(#"{"title":"Mine"}"#, named: "window")
    let key = Defaults.Key("window", default: GrownWindow(), coding: .json, suite: suite)
    #expect(suite[key] == GrownWindow(title: "Mine", icon: nil, zoom: 9))
    suite.removeEntry(named: "window")
    #expect(suite[key] == GrownWindow(title: "Registered", icon: nil, zoom: 9))
    #expect(issues.all.isEmpty)
  }

  @Test("A computed default completes missing fields again at each read")
  func computed() {
    store(#"{"title":"Mine"}"#, named: "window")
    let count = Log<Int>()
    let key = Defaults.Key<GrownWindow>("window", coding: .json, suite: suite) { [count] in
      count.append(0)
      return GrownWindow(zoom: Double(count.all.count))
    }
    #expect(suite[key].zoom == 1)
    #expect(suite[key].zoom == 2)
    suite[key] = GrownWindow(zoom: 5)
    #expect(suite[key].zoom == 5)
    #expect(count.all.count == 2)
  }

  @Test("A key's rules check the completed value")
  func rules() throws {
    store(#"{"title":"Mine"}"#, named: "window")
    let key = Defaults.Key(
      "window", default: GrownWindow(), coding: .json, suite: suite,
      .check("must not be mine") { $0.title != "Mine" })
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(error?.code == .invalid)
    #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: ["window": #"{"title":"Mine","zoom":2}"#])
    }
  }

  @Test("Missing fields of a value in any layer come from the key's constant or computed default")
  func layers() throws {
    let base = Defaults.MemorySuite(["window": #"{"title":"Mine"}"#, "other": #"{"zoom":3}"#])
    let file = Manual(["window": #"{"title":"File"}"#, "other": #"{"title":"File"}"#])
    let layered = try Defaults.LayeredSuite(
      .arguments(["--third", #"{"title":"Typed"}"#]), .writable(base), Defaults.Layer("file", file))
    let window = Defaults.Key("window", default: GrownWindow(), coding: .json, suite: layered)
    let other = Defaults.Key<GrownWindow>("other", coding: .json, suite: layered) {
      GrownWindow(title: "")
    }
    let third = Defaults.Key("third", default: GrownWindow(), coding: .json, suite: layered)
    #expect(layered[window] == GrownWindow(title: "Mine", icon: nil))
    #expect(layered[other] == GrownWindow(title: "", icon: nil, zoom: 3))
    #expect(layered[third] == GrownWindow(title: "Typed", icon: nil))
    #expect(layered.inspect(window).first { $0.counts }?.layer == "user")
  }

  @Test("An import accepts a value with missing fields, and `set(text:)` rejects the same value")
  func transfer() throws {
    let key = Defaults.Key("window", default: GrownWindow(), coding: .json, suite: suite)
    let entry = Stored.string(#"{"title":"Mine"}"#)
    try suite.importEntries(.keys(key), from: ["window": entry])
    #expect(suite.entry(named: "window") == entry)
    #expect(suite[key].title == "Mine")
    #expect(throws: Defaults.SuiteError.self) { try key.set(text: #"{"title":"Typed"}"#) }
    #expect(suite[key].title == "Mine")
    suite[key].zoom = 2
    #expect(key.text?.contains("amount") == true)
  }

  private struct Legacy: Codable, Sendable, Equatable, Defaults.Serializable {
    var window = GrownWindow()
    static let bridge = Bridge()

    struct Content: Codable, Sendable, Defaults.Serializable { var window: GrownWindow }

    struct Bridge: Defaults.Bridge {
      func serialize(_ value: Legacy?) -> Content? { value.map { Content(window: $0.window) } }
      func deserialize(_ object: Content?) -> Legacy? { object.map { Legacy(window: $0.window) } }
    }
  }

  @Test("Custom bridges to Codable types, and codings of custom closures, complete missing fields")
  func ownBridge() throws {
    store(#"{"window":{"title":"Mine"}}"#, named: "value")
    let key = Defaults.Key("value", default: Legacy(), suite: suite)
    #expect(try suite.value(for: key).window == GrownWindow(title: "Mine", icon: nil))
    let closures = Defaults.Key(
      "value", default: GrownWindow(),
      coding: .custom(encode: { Legacy.Content(window: $0) }, decode: { $0.window }),
      suite: Defaults.MemorySuite(suite.entries))
    #expect(try closures.suite.value(for: closures) == GrownWindow(title: "Mine", icon: nil))
  }
}
