import Defaults
import Testing

// The samples of the second generation's description for bridges and custom collections and sets;
// see `FirstGenerationSamples` for the differences. The user is `Hashable` here, which the
// description omits and its `Set<User>` needs.

private let samples = Defaults.MemorySuite(label: "samples of bridges")

private struct User: Hashable {
  let name: String
  let age: String
}

private struct UserBridge: Defaults.Bridge {
  typealias Value = User
  typealias Serializable = [String: String]

  func serialize(_ value: Value?) -> Serializable? {
    guard let value else {
      return nil
    }

    return [
      "name": value.name,
      "age": value.age,
    ]
  }

  func deserialize(_ object: Serializable?) -> Value? {
    guard
      let object,
      let name = object["name"],
      let age = object["age"]
    else {
      return nil
    }

    return User(
      name: name,
      age: age
    )
  }
}

extension User: Defaults.Serializable {
  static let bridge = UserBridge()
}

struct SampleBag<Element: Defaults.Serializable>: Collection {
  var items: [Element]

  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }

  mutating func insert(element: Element, at: Int) {
    items.insert(element, at: at)
  }

  func index(after index: Int) -> Int {
    items.index(after: index)
  }

  subscript(position: Int) -> Element {
    items[position]
  }
}

extension SampleBag: Defaults.CollectionSerializable {
  init(_ elements: [Element]) {
    self.items = elements
  }
}

struct SampleSetBag<Element: Defaults.Serializable & Hashable>: SetAlgebra {
  var store = Set<Element>()

  init() {}

  init(_ store: Set<Element>) {
    self.store = store
  }

  func contains(_ member: Element) -> Bool {
    store.contains(member)
  }

  func union(_ other: SampleSetBag) -> SampleSetBag {
    SampleSetBag(store.union(other.store))
  }

  func intersection(_ other: SampleSetBag) -> SampleSetBag {
    var setBag = SampleSetBag()
    setBag.store = store.intersection(other.store)
    return setBag
  }

  func symmetricDifference(_ other: SampleSetBag) -> SampleSetBag {
    var setBag = SampleSetBag()
    setBag.store = store.symmetricDifference(other.store)
    return setBag
  }

  @discardableResult
  mutating func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    store.insert(newMember)
  }

  mutating func remove(_ member: Element) -> Element? {
    store.remove(member)
  }

  mutating func update(with newMember: Element) -> Element? {
    store.update(with: newMember)
  }

  mutating func formUnion(_ other: SampleSetBag) {
    store.formUnion(other.store)
  }

  mutating func formSymmetricDifference(_ other: SampleSetBag) {
    store.formSymmetricDifference(other.store)
  }

  mutating func formIntersection(_ other: SampleSetBag) {
    store.formIntersection(other.store)
  }
}

extension SampleSetBag: Defaults.SetAlgebraSerializable {
  func toArray() -> [Element] {
    Array(store)
  }
}

extension Defaults.Keys {
  fileprivate static let user = Defaults.Key<User>(
    "user", default: User(name: "Hello", age: "24"), suite: samples)
  fileprivate static let arrayUser = Defaults.Key<[User]>(
    "arrayUser", default: [User(name: "Hello", age: "24")], suite: samples)
  fileprivate static let setUser = Defaults.Key<Set<User>>(
    "setUser", default: Set([User(name: "Hello", age: "24")]), suite: samples)
  fileprivate static let dictionaryUser = Defaults.Key<[String: User]>(
    "dictionaryUser", default: ["user": User(name: "Hello", age: "24")], suite: samples)
  fileprivate static let stringBag = Key<SampleBag<String>>(
    "stringBag", default: SampleBag(["Hello", "World!"]), suite: samples)
  fileprivate static let stringSet = Key<SampleSetBag<String>>(
    "stringSet", default: SampleSetBag(["Hello", "World!"]), suite: samples)
}

@Suite("Samples of Defaults by Sindre Sorhus, version 5 and later: bridges, collections, sets")
struct BridgeSamples {
  @Test("Sample: a type with a custom bridge is stored in its bridge's form")
  func userBridge() {
    defer { Defaults.reset(.user) }
    #expect(Defaults[.user].name == "Hello")
    Defaults[.user] = User(name: "World", age: "25")
    #expect(Defaults[.user] == User(name: "World", age: "25"))
    #expect(samples.object(forKey: "user") == ["name": "World", "age": "25"])
  }

  @Test("Sample: a type with a custom bridge is stored in an array, a set and a dictionary")
  func userBridgeInCollections() {
    defer { Defaults.reset(.arrayUser, .setUser, .dictionaryUser) }
    #expect(Defaults[.arrayUser][0].name == "Hello")
    #expect(Defaults[.setUser].first?.name == "Hello")
    #expect(Defaults[.dictionaryUser]["user"]?.name == "Hello")

    let other = User(name: "World", age: "25")
    Defaults[.arrayUser].append(other)
    Defaults[.setUser].insert(other)
    Defaults[.dictionaryUser]["other"] = other
    #expect(Defaults[.arrayUser].map(\.name) == ["Hello", "World"])
    #expect(Set(Defaults[.setUser].map(\.name)) == ["Hello", "World"])
    #expect(Defaults[.dictionaryUser].mapValues(\.name) == ["user": "Hello", "other": "World"])
    #expect(
      samples.object(forKey: "arrayUser")
        == [["name": "Hello", "age": "24"], ["name": "World", "age": "25"]])
  }

  @Test("Sample: keys of one name and different types have their own defaults while unset")
  func oneNameForTwo() {
    // The description declares both under "user".
    let suite = Defaults.MemorySuite()
    let hello = User(name: "Hello", age: "24")
    let user = Defaults.Key<User>("user", default: hello, suite: suite)
    let setUser = Defaults.Key<Set<User>>("user", default: Set([hello]), suite: suite)
    #expect(Defaults[user].name == "Hello")
    #expect(Defaults[setUser].first?.name == "Hello")
  }

  @Test("Sample: a custom collection is stored as an array")
  func bag() {
    defer { Defaults.reset(.stringBag) }
    #expect(Defaults[.stringBag][0] == "Hello")
    #expect(Defaults[.stringBag][1] == "World!")

    Defaults[.stringBag].insert(element: "new", at: 1)
    #expect(Defaults[.stringBag].items == ["Hello", "new", "World!"])
    #expect(samples.stringArray(forKey: "stringBag") == ["Hello", "new", "World!"])
  }

  @Test("Sample: a custom set is stored as an array")
  func setBag() {
    defer { Defaults.reset(.stringSet) }
    #expect(Defaults[.stringSet].contains("Hello"))
    #expect(Defaults[.stringSet].contains("World!"))

    Defaults[.stringSet].insert("new")
    #expect(Defaults[.stringSet].store == ["Hello", "World!", "new"])
    #expect(samples.stringArray(forKey: "stringSet") == ["Hello", "World!", "new"])
  }
}
