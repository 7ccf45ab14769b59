import Defaults
import Foundation
import TestSupport
import Testing

// The samples of the first generation's description, unchanged except for three things: the keys
// are in a suite in memory, so that no test changes the user's settings; each sample has its own
// key names, and a suite of its own if it observes, since one thread delivers the events of a suite
// and all samples run at once; and printed text is checked instead.
//
// One sample can't be a test, since it correctly doesn't compile:
//
//     Defaults[.quality] = "🦄"
//     // error: the value isn't of the key's type: convert it, or give the key another type

private let samples = Defaults.MemorySuite(label: "samples of the first generation")

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("quality", default: 0.8, suite: samples)
  fileprivate static let name = OptionalKey<Double>("name", suite: samples)
  fileprivate static let someSecureCoding = NSSecureCodingKey<SomeNSSecureCodingClass>(
    "someSecureCoding", default: SomeNSSecureCodingClass(string: "Default", int: 5, bool: true),
    suite: samples)
  fileprivate static let someOptionalSecureCoding = NSSecureCodingOptionalKey<Double>(
    "someOptionalSecureCoding", suite: samples)
  fileprivate static let archived = NSSecureCodingOptionalKey<SomeNSSecureCodingClass>(
    "archived", suite: samples)
  fileprivate static let defaultDuration = Key<DurationKeys>(
    "defaultDuration", default: .oneHour, suite: samples)
  fileprivate static let isUnicornMode = Key<Bool>(
    "isUnicornMode", default: false, suite: Defaults.MemorySuite())
  fileprivate static let isUnicornModeOfFoo = Key<Bool>(
    "isUnicornMode of Foo", default: false, suite: Defaults.MemorySuite())
  fileprivate static let isUnicornModeToReset = Key<Bool>(
    "isUnicornMode to reset", default: false, suite: samples)
  fileprivate static let isUnicornModeInBindings = Key<Bool>(
    "isUnicornMode in bindings", default: true, suite: samples)
  fileprivate static let isUnicorn = Key<Bool>("isUnicorn", default: true, suite: samples)
  fileprivate static let sharedUnicorn = Defaults.Keys.Key<Bool>(
    "isUnicorn", default: true, suite: extensionDefaults)
}

/// Only `Codable`, as the first generation requires.
private enum DurationKeys: String, Codable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
  case oneHour = "1 Hour"
}

/// A top-level class that isn't private, as keyed archives need it on Linux.
final class SomeNSSecureCodingClass: NSObject, NSSecureCoding, Sendable {
  static let supportsSecureCoding = true

  let string: String
  let int: Int
  let bool: Bool

  init(string: String, int: Int, bool: Bool) {
    self.string = string
    self.int = int
    self.bool = bool
  }

  init?(coder: NSCoder) {
    guard let string = coder.decodeObject(of: NSString.self, forKey: "string") else { return nil }
    self.string = string as String
    int = coder.decodeInteger(forKey: "int")
    bool = coder.decodeBool(forKey: "bool")
  }

  func encode(with coder: NSCoder) {
    coder.encode(string as NSString, forKey: "string")
    coder.encode(int, forKey: "int")
    coder.encode(bool, forKey: "bool")
  }
}

private let extensionDefaults = Defaults.MemorySuite(label: "com.unicorn.app")

@Suite("Samples of Defaults by Sindre Sorhus before version 5")
struct FirstGenerationSamples {
  @Test("Sample: a key is read, set and changed in place")
  func quality() {
    defer { Defaults.reset(.quality) }
    #expect(Defaults[.quality] == 0.8)

    Defaults[.quality] = 0.5
    #expect(Defaults[.quality] == 0.5)

    Defaults[.quality] += 0.1
    #expect(Defaults[.quality] == 0.6)
  }

  @Test("Sample: an optional key is nil until it is set")
  func name() {
    defer { Defaults.reset(.name) }
    if let name = Defaults[.name] {
      Issue.record("Nothing was stored, and \(name) was read")
    }

    Defaults[.name] = 1.5
    #expect(Defaults[.name] == 1.5)

    Defaults[.name] = nil
    #expect(Defaults[.name] == nil)
    #expect(!samples.contains(.name))
  }

  @Test("Sample: a key of an archived class returns its default")
  func secureCoding() {
    #expect(Defaults[.someSecureCoding].string == "Default")
    #expect(Defaults[.someSecureCoding].int == 5)
    #expect(Defaults[.someSecureCoding].bool == true)
  }

  @Test("Sample: an optional key under its older name accepts a type without an archive")
  func optionalSecureCoding() {
    defer { Defaults.reset(.someOptionalSecureCoding) }
    #expect(Defaults[.someOptionalSecureCoding] == nil)
    Defaults[.someOptionalSecureCoding] = 0.5
    #expect(samples.double(forKey: "someOptionalSecureCoding") == 0.5)
  }

  @Test("Sample: keys of archived classes are used like other keys")
  func archivedValues() throws {
    let suite = Defaults.MemorySuite()
    try suite.set(SomeNSSecureCodingClass(string: "Set", int: 6, bool: false), for: .archived)
    let value = try #require(suite[.archived])
    #expect((value.string, value.int, value.bool) == ("Set", 6, false))
    #expect(suite.data(forKey: "archived") != nil)
    suite[.archived] = nil
    #expect(suite.names == [])
  }

  @Test("Sample: an enum that is only Codable is stored")
  func enumeration() {
    defer { Defaults.reset(.defaultDuration) }
    #expect(Defaults[.defaultDuration].rawValue == "1 Hour")

    Defaults[.defaultDuration] = .halfHour
    #expect(Defaults[.defaultDuration] == .halfHour)
    // It is declared Codable only, so it is stored as JSON text.
    #expect(samples.string(forKey: "defaultDuration") == "\"30 Minutes\"")
  }

  @Test("Sample: a key needn't be an extension of Defaults.Keys")
  func localKey() {
    let isUnicorn = Defaults.Key<Bool>("isUnicorn, local", default: true, suite: samples)
    #expect(Defaults[isUnicorn] == true)
  }

  @Test("Sample: an observer gets the current value first, then the change")
  func observation() {
    defer { Defaults.reset(.isUnicornMode) }
    let events = Log<[Bool]>()

    let observer = Defaults.observe(.isUnicornMode) { change in
      events.append([change.oldValue, change.newValue])
    }

    Defaults[.isUnicornMode] = true
    #expect(events.all == [[false, false], [false, true]])

    observer.invalidate()
    Defaults[.isUnicornMode] = false
    #expect(events.count == 2)
  }

  @Test("Sample: an observation is tied to the lifetime of an object")
  func lifetimeTie() {
    defer { Defaults.reset(.isUnicornModeOfFoo) }
    let events = Log<[Bool]>()

    final class Foo {
      init(_ events: Log<[Bool]>) {
        Defaults.observe(.isUnicornModeOfFoo) { change in
          events.append([change.oldValue, change.newValue])
        }.tieToLifetime(of: self)
      }
    }

    var foo: Foo? = Foo(events)
    Defaults[.isUnicornModeOfFoo] = true
    #expect(events.all == [[false, false], [false, true]])

    foo = nil
    Defaults[.isUnicornModeOfFoo] = false
    #expect(events.count == 2)
    _ = foo
  }

  @Test("Sample: an observation whose lifetime tie was removed lasts as long as its token")
  func removedLifetimeTie() {
    final class Foo {}
    let key = Defaults.Key<Bool>("isUnicornMode", default: false, suite: Defaults.MemorySuite())
    let events = Log<Bool>()
    var foo: Foo? = Foo()
    let observer = Defaults.observe(key, options: []) { events.append($0.newValue) }
    if let foo { observer.tieToLifetime(of: foo) }
    observer.removeLifetimeTie()
    foo = nil
    Defaults[key] = true
    #expect(events.all == [true])
    observer.invalidate()
    _ = foo
  }

  @Test("Sample: a key is reset to its default, and an optional one to nil")
  func reset() {
    Defaults[.isUnicornModeToReset] = true
    #expect(Defaults[.isUnicornModeToReset] == true)

    Defaults.reset(.isUnicornModeToReset)
    #expect(Defaults[.isUnicornModeToReset] == false)

    let nickname = Defaults.OptionalKey<String>("nickname to reset", suite: samples)
    Defaults[nickname] = "Uni"
    Defaults.reset(nickname)
    #expect(Defaults[nickname] == nil)
  }

  @Test("Sample: a suite has a subscript for keys")
  func suiteSubscript() {
    #expect(samples[.isUnicorn] == true)
  }

  @Test("Sample: a key belongs to a shared suite")
  func sharedSuite() {
    #expect(Defaults[.sharedUnicorn] == true)
    #expect(extensionDefaults[.sharedUnicorn] == true)
  }

  @Test("Sample: the default of a key is registered with its suite")
  func registeredDefault() {
    let isUnicornMode = Defaults.Keys.isUnicornModeInBindings
    #expect(samples.bool(forKey: isUnicornMode.name) == true)
    #expect(!samples.contains(isUnicornMode))
  }

  @Test("Sample: all entries of a suite are removed at once")
  func removeAll() {
    let suite = Defaults.MemorySuite(["a": 1, "b": "2"])
    Defaults.removeAll(suite: suite)
    #expect(suite.names == [])
  }
}
