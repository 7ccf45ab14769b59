import Defaults
import Testing

// The samples of the second generation's description for values whose types are known at run time;
// see `FirstGenerationSamples` for the differences.

private let samples = Defaults.MemorySuite(label: "samples of AnySerializable")

extension Defaults.Keys {
  fileprivate static let magic = Key<[String: Defaults.AnySerializable]>(
    "magic", default: [:], suite: samples)
  fileprivate static let magicOfPreference = Key<[String: Defaults.AnySerializable]>(
    "magic of preference", default: [:], suite: samples)
}

private enum mime: String, Defaults.Serializable {
  case JSON = "application/json"
  case STREAM = "application/octet-stream"
}

private enum preferringMime: String, Codable, Defaults.Serializable,
  Defaults.PreferRawRepresentable
{
  case JSON = "application/json"
}

private enum codableMime: String, Codable, Defaults.Serializable {
  case JSON = "application/json"
}

@Suite("Samples of Defaults by Sindre Sorhus, version 5 and later: AnySerializable")
struct AnySerializableSamples {
  private let suite = Defaults.MemorySuite()

  @Test("Sample: literals are assigned to AnySerializable")
  func literals() {
    let any = Defaults.Key<Defaults.AnySerializable>("anyKey", default: 1, suite: suite)
    #expect(Defaults[any].get(Int.self) == 1)
    Defaults[any] = "🦄"
    #expect(Defaults[any].get() == "🦄")
    #expect(suite.string(forKey: "anyKey") == "🦄")
    Defaults[any] = 1.5
    #expect(Defaults[any].get() == 1.5)
    Defaults[any] = true
    #expect(Defaults[any].get() == true)
    Defaults[any] = [1, "two"]
    #expect(suite.object(forKey: "anyKey") == [1, "two"])
    Defaults[any] = ["one": 1]
    #expect(suite.object(forKey: "anyKey") == ["one": 1])
    Defaults[any] = nil
    #expect(!suite.contains(any))
  }

  @Test("Sample: AnySerializable wraps, gets and sets other types")
  func getAndSet() {
    // The description also wraps the default in an array, and reads it without one.
    let any = Defaults.Key<Defaults.AnySerializable>(
      "anyKey", default: Defaults.AnySerializable(mime.JSON), suite: suite)

    if let mimeType: mime = Defaults[any].get() {
      #expect(mimeType.rawValue == "application/json")
    } else {
      Issue.record("the default wasn't returned")
    }

    Defaults[any].set(mime.STREAM)

    if let mimeType: mime = Defaults[any].get() {
      #expect(mimeType.rawValue == "application/octet-stream")
    } else {
      Issue.record("the value that was set wasn't returned")
    }
    #expect(suite.string(forKey: "anyKey") == "application/octet-stream")
  }

  @Test("Sample: an array of AnySerializable is read as an array")
  func arrayDefault() {
    let any = Defaults.Key<Defaults.AnySerializable>(
      "anyKey", default: [Defaults.AnySerializable(mime.JSON)], suite: suite)
    #expect(Defaults[any].get([mime].self) == [.JSON])
    #expect(Defaults[any].get(mime.self) == nil)
  }

  @Test("Sample: a dictionary holds AnySerializable values of several types")
  func dictionary() {
    defer { Defaults.reset(.magic) }
    Defaults[.magic]["unicorn"] = "🦄"

    if let value: String = Defaults[.magic]["unicorn"]?.get() {
      #expect(value == "🦄")
    } else {
      Issue.record("the string wasn't returned")
    }

    Defaults[.magic]["number"] = 3
    Defaults[.magic]["boolean"] = true
    Defaults[.magic]["enum"] = Defaults.AnySerializable(mime.JSON)

    if let mimeType: mime = Defaults[.magic]["enum"]?.get() {
      #expect(mimeType.rawValue == "application/json")
    } else {
      Issue.record("the enum wasn't returned")
    }
    #expect(
      samples.object(forKey: "magic")
        == ["unicorn": "🦄", "number": 3, "boolean": true, "enum": "application/json"])
  }

  @Test("Sample: a set and an array hold AnySerializable values of several types")
  func otherCollections() {
    let set = Defaults.Key<Set<Defaults.AnySerializable>>("set", default: [], suite: suite)
    let array = Defaults.Key<[Defaults.AnySerializable]>("array", default: [], suite: suite)
    Defaults[set] = [1, "two", Defaults.AnySerializable(mime.JSON)]
    Defaults[array] = [1, "two", Defaults.AnySerializable(mime.JSON)]
    #expect(Defaults[set] == ["two", 1, "application/json"])
    #expect(Defaults[array] == [1, "two", "application/json"])
  }

  @Test("Sample: a Codable enum that prefers its raw value is stored as the raw value")
  func preferRawRepresentable() {
    defer { Defaults.reset(.magicOfPreference) }
    Defaults[.magicOfPreference]["enum"] = Defaults.AnySerializable(preferringMime.JSON)
    #expect(samples.object(forKey: "magic of preference") == ["enum": "application/json"])

    let preferring = Defaults.Key<preferringMime?>("preferring", suite: suite)
    Defaults[preferring] = .JSON
    #expect(suite.string(forKey: "preferring") == "application/json")

    let codable = Defaults.Key<codableMime?>("codable", suite: suite)
    Defaults[codable] = .JSON
    #expect(suite.string(forKey: "codable") == "\"application/json\"")
  }
}
