import Defaults
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Keys")
struct KeyTests {
  let suite = Defaults.MemorySuite()

  // MARK: Declaring

  @Test("A key has its name, its suite and its default")
  func declaration() {
    let key = Defaults.Key<Double>("quality", default: 0.8, suite: suite)
    #expect(key.name == "quality")
    #expect(key.suite === suite)
    #expect(key.defaultValue == 0.8)
    #expect(Defaults[key] == 0.8)
    #expect(suite.names == [])
  }

  @Test("The type of a key is inferred from its default")
  func inferredType() {
    let count = Defaults.Key("count", default: 1, suite: suite)
    let names = Defaults.Key("names", default: ["a": [1.5]], suite: suite)
    let limit = Defaults.Key("limit", default: Int?.none, suite: suite)
    let start = Defaults.Key("start", suite: suite) { Date(timeIntervalSince1970: 0) }
    #expect(type(of: count) == Defaults.Key<Int>.self)
    #expect(type(of: names) == Defaults.Key<[String: [Double]]>.self)
    #expect(type(of: limit) == Defaults.Key<Int?>.self)
    #expect(type(of: start) == Defaults.Key<Date>.self)
  }

  @Test("The default of an optional key is nil unless specified")
  func optionalDefaults() {
    let plain = Defaults.Key<Int?>("plain", suite: suite)
    let given = Defaults.Key<Int?>("given", default: 5, suite: suite)
    #expect((Defaults[plain], Defaults[given]) == (nil, 5))
    Defaults[plain] = 1
    Defaults[given] = 1
    #expect((Defaults[plain], Defaults[given]) == (1, 1))
    Defaults[plain] = nil
    Defaults[given] = nil
    #expect((Defaults[plain], Defaults[given]) == (nil, 5))
    #expect(suite.names == [])
  }

  @Test("A dynamic default is computed at each read until a value is stored")
  func dynamicDefault() {
    let calls = Mutex(0)
    let key = Defaults.Key<Int>("n", suite: suite) {
      calls.withLock { calls in
        calls += 1
        return calls
      }
    }
    #expect(calls.withLock { $0 } == 0)
    #expect((Defaults[key], Defaults[key], key.defaultValue) == (1, 2, 3))
    Defaults[key] = 100
    #expect((Defaults[key], Defaults[key]) == (100, 100))
    #expect(calls.withLock { $0 } == 3)
    key.reset()
    #expect(Defaults[key] == 4)
  }

  @Test("An entry that doesn't decode gives a dynamic default, computed at each read")
  func dynamicDefaultOfUndecodable() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(["n": "text"]) { issues.append($0) }
    let calls = Mutex(0)
    let key = Defaults.Key<Int>("n", suite: suite) {
      calls.withLock {
        $0 += 1; return $0
      }
    }
    #expect((Defaults[key], Defaults[key]) == (1, 2))
    #expect(issues.codes == [.undecodable])
    #expect(issues.last?.key == "n")
  }

  @Test("A default that can't be encoded is returned and not registered")
  func unencodableDefault() {
    let key = Defaults.Key<Even>("even", default: Even(number: 3), suite: suite)
    #expect(Defaults[key].number == 3)
    #expect(suite.object(forKey: "even") == nil)
    Defaults[key] = Even(number: 4)
    #expect(Defaults[key].number == 4)
  }

  // MARK: Identity

  @Test("Keys are equal by name and suite, independent of types and defaults")
  func equality() throws {
    let folder = try TemporaryFolder()
    let file = folder.url("suite.plist")
    let first = try Defaults.PropertyListSuite(url: file)
    let second = try Defaults.PropertyListSuite(url: file)
    let int = Defaults.Key("x", default: 1, suite: first)
    let string = Defaults.Key("x", default: "", suite: second)
    let stored = Defaults.Key("x", default: 1, suite: first.storage)
    let memory = Defaults.Key("x", default: 1, suite: suite)
    let other = Defaults.Key("y", default: 1, suite: first)
    #expect(int as Defaults.AnyKey == string)
    #expect(int.hashValue == string.hashValue)
    #expect(int == stored)
    #expect(int != memory)
    #expect(int != other)
    withExtendedLifetime(folder) {}
  }

  @Test("Keys of all types can be elements of arrays, sets and dictionaries")
  func collections() {
    let a = Defaults.Key("a", default: 1, suite: suite)
    let b = Defaults.Key<String?>("b", suite: suite)
    let c = Defaults.Key("c", suite: suite) { Date() }
    let twin = Defaults.Key("a", default: "", suite: suite)
    let array: [Defaults.AnyKey] = [a, b, c, twin]
    #expect(array.map(\.name) == ["a", "b", "c", "a"])
    #expect(Set(array).count == 3)
    let titles: [Defaults.Keys: String] = [a: "A", b: "B"]
    #expect(titles[twin] == "A")
    #expect(array[0] is Defaults.Key<Int>)
  }

  // MARK: Names

  @Test(
    "A name may be any string that isn't empty",
    arguments: [
      "a.b.c", ".", "🦄", "👩‍👩‍👧‍👦", "@count", "with space", "\n", "\u{0}", "\"quoted\"", "ключ",
      LongText(repeating: "n", count: 10_000),
    ])
  func names(text: LongText) throws {
    let name = text.value
    let folder = try TemporaryFolder()
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    let key = Defaults.Key<Int>(name, default: 1, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    #expect(suite.integer(forKey: name) == 1)
    Defaults[key] = 2
    #expect(Defaults[key] == 2)
    #expect(suite.names == [name])
    #expect(seen.all == [2])
    try suite.flush(.snapshot)
    try FileManager.default.copyItem(at: folder.url("suite.plist"), to: folder.url("copy.plist"))
    #expect(try Defaults.PropertyListSuite(url: folder.url("copy.plist"))[key] == 2)
    observation.invalidate()
  }

  @Test("A dot in a name doesn't refer to an entry of a dictionary")
  func dots() {
    let outer = Defaults.Key<[String: Int]>("a", default: [:], suite: suite)
    let dotted = Defaults.Key<Int>("a.b", default: 0, suite: suite)
    Defaults[outer] = ["b": 1]
    #expect(Defaults[dotted] == 0)
    Defaults[dotted] = 2
    #expect(Defaults[outer] == ["b": 1])
    #expect(suite.names == ["a", "a.b"])
  }

  @Test("Composed and decomposed forms of a name are equal, as they are for String")
  func normalization() {
    let composed = Defaults.Key<Int>("caf\u{e9}", default: 0, suite: suite)
    let decomposed = Defaults.Key<Int>("cafe\u{301}", default: 0, suite: suite)
    #expect(composed == decomposed)
    let seen = Log<Int>()
    let observation = Defaults.observe(decomposed, options: []) { seen.append($0.newValue) }
    Defaults[composed] = 1
    #expect(Defaults[decomposed] == 1)
    #expect(seen.all == [1])
    Defaults[decomposed] = 2
    #expect(Defaults[composed] == 2)
    #expect(suite.names.count == 1)
    decomposed.reset()
    #expect(suite.names == [])
    observation.invalidate()
  }

  @Test("Names that differ in case or in white space are different")
  func distinctNames() {
    let names = ["a", "A", "a ", " a"]
    for (index, name) in names.enumerated() {
      suite[Defaults.Key<Int>(name, default: 0, suite: suite)] = index
    }
    #expect(names.map { suite.integer(forKey: $0) } == [0, 1, 2, 3])
  }
}

/// A number that must be even to be stored.
private struct Even: Defaults.Serializable {
  let number: Int

  static let bridge = Bridge()

  struct Bridge: Defaults.Bridge {
    func serialize(_ value: Even?) -> Int? {
      value.flatMap { $0.number.isMultiple(of: 2) ? $0.number : nil }
    }
    func deserialize(_ object: Int?) -> Even? { object.map(Even.init) }
  }
}
