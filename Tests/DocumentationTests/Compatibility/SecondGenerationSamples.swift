import Defaults
import Foundation
import TestSupport
import Testing

// The samples of the second generation's description for keys, observation and suites; see
// `FirstGenerationSamples` for the differences.

private let samples = Defaults.MemorySuite(label: "samples of the second generation")
private let propagating = Defaults.MemorySuite()

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("quality", default: 0.8, suite: samples)
  fileprivate static let name = Key<Double?>("name", suite: samples)
  fileprivate static let camera = Key<CaptureDevice?>("camera", suite: samples) {
    .default(for: .video)
  }
  fileprivate static let defaultDuration = Key<DurationKeys>(
    "defaultDuration", default: .oneHour, suite: samples)
  fileprivate static let user = Key<User>(
    "user", default: .init(name: "Hello", age: "24"), suite: samples)
  fileprivate static let isUnicornMode = Key<Bool>(
    "isUnicornMode", default: false, suite: samples)
  fileprivate static let isUnicornModeToReset = Key<Bool>(
    "isUnicornMode to reset", default: false, suite: samples)
  fileprivate static let isUnicornModeInBindings = Key<Bool>(
    "isUnicornMode in bindings", default: true, suite: samples)
  fileprivate static let key1 = Key<Int>("key1", default: 0, suite: propagating)
  fileprivate static let key2 = Key<Int>("key2", default: 0, suite: propagating)
  fileprivate static let someKey = Key<Bool>("someKey", default: false, suite: propagating)
  fileprivate static let isUnicorn = Key<Bool>("isUnicorn", default: true, suite: samples)
}

/// Replaces a class of a framework that isn't available here.
private struct CaptureDevice: Codable, Defaults.Serializable, Equatable {
  enum Medium: String, Codable {
    case audio, video
  }
  let medium: Medium

  static func `default`(for medium: Medium) -> Self? { Self(medium: medium) }
}

private enum DurationKeys: String, Defaults.Serializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
  case oneHour = "1 Hour"
}

private struct User: Codable, Defaults.Serializable {
  let name: String
  let age: String
}

@Suite("Samples of Defaults by Sindre Sorhus, version 5 and later: keys, observation, suites")
struct SecondGenerationSamples {
  @Test("Sample: a key with a default is read, set and changed in place")
  func quality() {
    defer { Defaults.reset(.quality) }
    #expect(Defaults[.quality] == 0.8)

    Defaults[.quality] = 0.5
    #expect(Defaults[.quality] == 0.5)

    Defaults[.quality] += 0.1
    #expect(Defaults[.quality] == 0.6)
  }

  @Test("Sample: a key of an optional type is nil until it is set")
  func name() {
    defer { Defaults.reset(.name) }
    if let name = Defaults[.name] {
      Issue.record("Nothing was stored, and \(name) was read")
    }
    Defaults[.name] = 1.5
    #expect(Defaults[.name] == 1.5)
  }

  @Test("Sample: the default of a key is computed at each read")
  func dynamicDefault() {
    defer { Defaults.reset(.camera) }
    #expect(Defaults[.camera] == CaptureDevice(medium: .video))
    Defaults[.camera] = .default(for: .audio)
    #expect(Defaults[.camera] == CaptureDevice(medium: .audio))
  }

  @Test("Sample: an enum is stored by its raw value")
  func enumeration() {
    defer { Defaults.reset(.defaultDuration) }
    #expect(Defaults[.defaultDuration].rawValue == "1 Hour")
    Defaults[.defaultDuration] = .halfHour
    #expect(samples.string(forKey: "defaultDuration") == "30 Minutes")
  }

  @Test("Sample: a Codable struct is stored as JSON text")
  func codableStruct() {
    defer { Defaults.reset(.user) }
    #expect(Defaults[.user].name == "Hello")
    Defaults[.user] = User(name: "World", age: "25")
    #expect(Defaults[.user].name == "World")
    #expect(samples.string(forKey: "user") == #"{"age":"25","name":"World"}"#)
  }

  @Test("Sample: a key can be declared outside Defaults.Keys")
  func localKey() {
    let isUnicorn = Defaults.Key<Bool>("isUnicorn, local", default: true, suite: samples)
    #expect(Defaults[isUnicorn] == true)
  }

  @Test(
    "Sample: a task gets a key's current value and then each change",
    .timeLimit(.aHang))
  func updates() async {
    defer { Defaults.reset(.isUnicornMode) }
    let (seen, report) = AsyncStream.makeStream(of: Bool.self)

    let task = Task {
      for await value in Defaults.updates(.isUnicornMode) {
        report.yield(value)
      }
      report.finish()
    }

    var values = seen.makeAsyncIterator()
    #expect(await values.next() == false)
    Defaults[.isUnicornMode] = true
    #expect(await values.next() == true)
    task.cancel()
    #expect(await values.next() == nil)
  }

  @Test("Sample: a key with a default is reset to it")
  func reset() {
    Defaults[.isUnicornModeToReset] = true
    #expect(Defaults[.isUnicornModeToReset] == true)

    Defaults.reset(.isUnicornModeToReset)
    #expect(Defaults[.isUnicornModeToReset] == false)

    Defaults[.isUnicornModeToReset] = true
    Defaults.reset("isUnicornMode to reset", suite: samples)
    #expect(Defaults[.isUnicornModeToReset] == false)
  }

  @Test("Sample: changes without propagation notify no observer")
  func withoutPropagation() {
    defer { Defaults.reset(.key1, .key2, .someKey) }
    let calls = Log<[Int]>()
    let heardOfKey1 = Log<Int>()
    let heardOfSomeKey = Log<Bool>()
    let first = Defaults.observe(.key1, options: []) { heardOfKey1.append($0.newValue) }
    let second = Defaults.observe(.someKey, options: []) { heardOfSomeKey.append($0.newValue) }

    let observer = Defaults.observe(keys: .key1, .key2, options: []) {
      calls.append([Defaults[.key1], Defaults[.key2]])

      Defaults.withoutPropagation {
        // Update `.key1` without propagating the change to listeners.
        Defaults[.key1] = 11
      }

      // This change is propagated.
      Defaults[.someKey] = true
    }

    Defaults[.key2] = 1
    #expect(calls.all == [[0, 1]])
    #expect(Defaults[.key1] == 11)
    #expect(heardOfKey1.all == [])
    #expect(heardOfSomeKey.all == [true])

    Defaults[.key1] = 12
    #expect(calls.all == [[0, 1], [12, 1]])
    #expect(Defaults[.key1] == 11)
    #expect(heardOfKey1.all == [12])
    #expect(heardOfSomeKey.all == [true])
    for observation in [observer, first, second] as [any Defaults.Observation] {
      observation.invalidate()
    }
  }

  @Test("Sample: a key is read and set through a subscript of its suite")
  func suiteSubscript() {
    #expect(samples[.isUnicorn] == true)
  }

  @Test("Sample: a key in a shared file is read with and without its suite")
  func sharedSuite() throws {
    let folder = try TemporaryFolder()
    let extensionDefaults = try Defaults.PropertyListSuite(url: folder.url("com.unicorn.app.plist"))
    let isUnicorn = Defaults.Key<Bool>("isUnicorn", default: true, suite: extensionDefaults)
    #expect(Defaults[isUnicorn] == true)
    #expect(extensionDefaults[isUnicorn] == true)
    withExtendedLifetime(folder) {}
  }

  @Test("Sample: a default is registered unless it is computed")
  func registeredDefault() {
    #expect(samples.bool(forKey: Defaults.Keys.isUnicornModeInBindings.name) == true)
    let computed = Defaults.Key<Bool>("computed", suite: samples) { true }
    #expect(Defaults[computed] == true)
    #expect(samples.bool(forKey: computed.name) == false)
  }

  @Test("Sample: all entries of the suite are removed at once")
  func removeAll() {
    let suite = Defaults.MemorySuite(["a": 1, "b": "2"])
    Defaults.removeAll(suite: suite)
    #expect(suite.names == [])
  }
}
