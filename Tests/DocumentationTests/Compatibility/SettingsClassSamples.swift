import Defaults
import DefaultsCompression
import Foundation
import Observation
import TestSupport
import Testing

// The samples of the schema library's description for classes, storage and key naming, written for
// this library: a superclass replaces the macro, and a suite replaces the storage and its mode,
// since cached values here are always current. Those for codings are in `CodingSamples`.

// Quick start, 2: the schema. A struct also works, and is `Sendable`.
private final class Prefs: Defaults.Settings {
  @Stored var foo: String?
  @Stored var bar: Int = 123
  @Stored var bool: Bool = false
  @Stored var stringArray: [String]?
  @Stored var intDictionary: [String: Int]?
}

private struct PrefsSchema: Defaults.Schema {
  @Stored var foo: String?
  @Stored var bar: Int = 123
}

// Atomic value types; raw collections hold `PropertyListValue` instead of `Any`.
private final class AtomicTypes: Defaults.Settings {
  @Stored var string: String = ""
  @Stored var bool: Bool = true
  @Stored var int: Int = 1
  @Stored var double: Double = 1.0
  @Stored var float: Float = 1.0
  @Stored var data: Data = Data()
  @Stored var date: Date = Date(timeIntervalSince1970: 0)
  @Stored var array: [Int] = []
  @Stored var dictionary: [String: Int] = [:]
  @Stored var rawArray: [Defaults.PropertyListValue]?
  @Stored var defaultedArray: [Defaults.PropertyListValue] = ["foo", 123, true]
  @Stored var rawDict: [String: Defaults.PropertyListValue]?
  @Stored var defaultedDict: [String: Defaults.PropertyListValue] = ["foo": "string", "bar": 123]
}

// Key naming
private final class NamedPrefs: Defaults.Settings {
  // storage key name is "foo"
  @Stored var foo: String?
  // storage key name is "bar"
  @Stored(name: "bar") var other: String?
}

private enum Fruit: String { case apple, banana, orange }

private struct Device: Codable, Equatable {
  var name: String
  var manufacturer: String
}

private struct MyType: Equatable {
  var value: String
  init?(value: String) { self.value = value }
}

private struct MyTypeBridge: Defaults.Bridge {
  func serialize(_ value: MyType?) -> Data? { value.map { Data($0.value.utf8) } }
  func deserialize(_ object: Data?) -> MyType? {
    object.flatMap { MyType(value: String(decoding: $0, as: UTF8.self)) }
  }
}

extension Defaults.Coding where Value == MyType {
  fileprivate static var myType: Self { .bridge(MyTypeBridge()) }
}

// Custom value coding of properties
private final class CodedPrefs: Defaults.Settings {
  @Stored(coding: .integer) var uInt: UInt?
  @Stored(coding: .text) var int: Int?
  @Stored(coding: .iso8601) var date: Date?
  @Stored(coding: .rawValue) var fruit: Fruit?
  @Stored(coding: .array(of: .rawValue)) var fruits: [Fruit]?
  @Stored(coding: .json) var device: Device?
  @Stored(coding: .jsonData) var deviceData: Device?
  @Stored(coding: .array(of: .json)) var devices: [Device]?
  @Stored(coding: .custom(encode: { $0.value }, decode: { MyType(value: $0) })) var inline: MyType?
  @Stored(coding: .myType) var own: MyType?
  @Stored(coding: .json.compressed.base64) var chained: Device?
}

// Dynamic key access
private final class DynamicPrefs: Defaults.Settings {
  @Stored var foo: Int?

  func fruit(name: String) -> String? { $foo.suite.string(forKey: "fruit-\(name)") }
  func setFruit(name: String, to newValue: String?) {
    $foo.suite.set(newValue, forKey: "fruit-\(name)")
  }
}

// Using actors: the class or its properties may belong to one.
@MainActor
private final class ActorPrefs: Defaults.Settings {
  @Stored var foo: Int?
}

private final class PropertyOfActor: Defaults.Settings {
  @MainActor @Stored var foo: Int?
  @Stored var bar: String?
}

@Suite("Samples of PrefsKit")
struct SettingsClassSamples {
  let suite = Defaults.MemorySuite()

  @Test("Sample: quick start with values, defaults and observation")
  func quickStart() {
    Defaults.withSuite(suite) {
      let prefs = Prefs()
      #expect(prefs.foo ?? "Not yet set." == "Not yet set.")
      #expect(prefs.bar == 123)
      let updates = Log<Bool>()
      withObservationTracking {
        _ = prefs.bool
      } onChange: {
        updates.append(true)
      }
      prefs.bool = true
      prefs.stringArray = ["a"]
      prefs.intDictionary = ["a": 1]
      #expect(updates.all == [true])
      #expect(suite.entries == ["bool": true, "stringArray": ["a"], "intDictionary": ["a": 1]])
    }
    #expect(PrefsSchema(suite: suite).bar == 123)
  }

  @Test("Sample: bindings are key paths of the class")
  func bindings() {
    let prefs = Prefs(suite: suite)
    let binding = \Prefs.bool
    prefs[keyPath: binding] = true
    #expect(suite.entries == ["bool": true])
  }

  @Test("Sample: all atomic types and mixed collections have defaults and are stored")
  func atomicTypes() {
    let prefs = AtomicTypes(suite: suite)
    #expect(prefs.defaultedArray == ["foo", 123, true])
    #expect(prefs.defaultedDict["bar"] == 123)
    prefs.rawArray = [1, "two"]
    prefs.float = 0.5
    prefs.date = Date(timeIntervalSince1970: 1)
    #expect(
      suite.entries == [
        "rawArray": [1, "two"], "float": 0.5, "date": .date(Date(timeIntervalSince1970: 1)),
      ])
  }

  @Test("Sample: a class or a struct gets any suite as its storage")
  func injection() throws {
    let folder = try TemporaryFolder()
    let file = folder.url("prefs.plist")
    let anySuite: any Defaults.Suite = try Defaults.PropertyListSuite(url: file)
    Prefs(suite: anySuite).bar = 1
    try anySuite.flush(.snapshot)
    let stored = try Defaults.PropertyListFormat.decode(Data(contentsOf: file)).entries
    #expect(stored == ["bar": 1])
    withExtendedLifetime(folder) {}
  }

  @Test("Sample: properties of a settings class have custom key names")
  func naming() {
    #expect(NamedPrefs(suite: suite).keys.map(\.name) == ["foo", "bar"])
  }

  @Test("Sample: properties of a settings class use custom codings")
  func codings() {
    let prefs = CodedPrefs(suite: suite)
    prefs.uInt = 1
    prefs.int = 2
    prefs.date = Date(timeIntervalSince1970: 0)
    prefs.fruit = .apple
    prefs.fruits = [.banana]
    prefs.inline = MyType(value: "inline")
    prefs.own = MyType(value: "own")
    #expect(
      suite.entries == [
        "uInt": 1, "int": "2", "date": "1970-01-01T00:00:00Z", "fruit": "apple",
        "fruits": ["banana"], "inline": "inline", "own": .data(Data("own".utf8)),
      ])
    let device = Device(name: "phone", manufacturer: "Acme")
    prefs.device = device
    prefs.deviceData = device
    prefs.devices = [device]
    prefs.chained = device
    let later = CodedPrefs(suite: suite)
    #expect(later.device == device && later.deviceData == device && later.devices == [device])
    #expect(later.chained == device)
    #expect(later.fruits == [.banana] && later.inline == MyType(value: "inline"))
  }

  @Test("Sample: dynamic keys are accessed and observed like others")
  func dynamic() {
    let prefs = DynamicPrefs(suite: suite)
    prefs.setFruit(name: "apple", to: "red")
    #expect(prefs.fruit(name: "apple") == "red")
    #expect(suite.entries == ["fruit-apple": "red"])
  }

  @Test("Sample: a settings class or one of its properties belongs to an actor")
  @MainActor
  func actors() {
    ActorPrefs(suite: suite).foo = 1
    PropertyOfActor(suite: suite).foo = 2
    #expect(suite.entries == ["foo": 2])
  }
}
