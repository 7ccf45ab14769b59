import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

/// Rows of the porting pages without a sample of a seed.
@Suite("Samples of the porting articles", .prompt)
struct PortingSamples {
  struct User: Codable, Equatable, Defaults.Serializable { var name = "Bo" }

  let suite = Defaults.MemorySuite(["own": 1])

  @Test("Sample: the calls for persistent domains are replaced by entries, import and removeAll")
  func persistentDomain() throws {
    suite.register(defaults: ["registered": 2])
    #expect(suite.entries == ["own": 1])
    #expect(suite.dictionaryRepresentation() == ["own": 1, "registered": 2])
    try suite.importEntries(from: ["other": 3], by: .replace)
    #expect(suite.entries == ["other": 3])
    Defaults.removeAll(suite: suite)
    #expect(suite.entries == [:])
    #expect(suite.integer(forKey: "registered") == 2)
  }

  @Test("Sample: addSuite(named:) and setVolatileDomain are replaced by layers")
  func layers() throws {
    let shared = Defaults.MemorySuite(["own": 7, "shared": 8])
    let all = try Defaults.LayeredSuite(
      .values(["volatile": 9]), .writable(suite), .layer(shared, name: "shared"))
    #expect(all.integer(forKey: "own") == 1)
    #expect(all.integer(forKey: "shared") == 8)
    #expect(all.integer(forKey: "volatile") == 9)
    all.set(2, forKey: "shared")
    #expect(suite.entries == ["own": 1, "shared": 2])
    #expect(shared.integer(forKey: "shared") == 8)
  }

  @Test("Sample: synchronize() is replaced by flush()")
  func synchronize() throws { try suite.flush() }

  @Test("Sample: registered defaults belong to one suite; Foundation shares them")
  func registeredDefaults() async {
    let other = Defaults.MemorySuite()
    suite.register(defaults: ["volume": 5])
    #expect(suite.integer(forKey: "volume") == 5)
    #expect(other.integer(forKey: "volume") == 0)
    await #expect(processExitsWith: .success) {
      let first = try #require(UserDefaults(suiteName: "DefaultsTests-a"))
      let second = try #require(UserDefaults(suiteName: "DefaultsTests-b"))
      first.register(defaults: ["volume": 5])
      #expect(second.integer(forKey: "volume") == 5)
      // The same applies to suites on these objects.
      #expect(Defaults.UserDefaultsSuite(second).entry(named: "volume") == 5)
    }
  }

  @Test("Sample: a change has the whole value, and after a removal the default")
  func kinds() {
    let key = Defaults.Key("own", default: 0, suite: suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: []) {
      seen.append([$0.oldValue, $0.newValue])
    }
    suite[key] = 2
    Defaults.reset(key)
    #expect(seen.all == [[1, 2], [2, 0]])
    observation.invalidate()
  }

  @Test("Sample: TopLevelCodableBridge is replaced by a conformance and stores JSON text")
  func codableBridge() {
    let user = Defaults.Key("user", default: User(), suite: suite)
    suite[user] = User(name: "Al")
    #expect(suite.string(forKey: "user") == #"{"name":"Al"}"#)
    #expect(suite[user] == User(name: "Al"))
  }

  @Test("Sample: a set and an array hold keys of any types, and reset accepts the array")
  func keysOfAnyTypes() {
    let own = Defaults.Key("own", default: 0, suite: suite)
    let name = Defaults.Key<String?>("name", suite: suite)
    let set: Set<Defaults.AnyKey> = [own, name, own]
    let keys: [Defaults.Keys] = [own, name]
    #expect(set.count == 2)
    #expect(set == Set(keys))
    Defaults.reset(Array(set))
    #expect(suite.entries == [:])
    #expect(set.contains(own))
  }
}
