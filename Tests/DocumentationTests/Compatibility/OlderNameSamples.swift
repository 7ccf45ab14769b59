import Defaults
import TestSupport
import Testing

/// Names outside the namespace, as their documentation shows them.
@Suite("Samples of names outside the namespace")
struct OlderNameSamples {
  private struct User: DefaultsSerializable {
    var name = ""
    static let bridge = UserBridge()
  }

  private struct UserBridge: DefaultsBridge {
    func serialize(_ value: User?) -> String? { value?.name }
    func deserialize(_ object: String?) -> User? { object.map { User(name: $0) } }
  }

  @Test("Sample: types, bridges and observations use names outside the namespace")
  func names() {
    let suite = Defaults.MemorySuite()
    let key = _Defaults.Key("user", default: User(), suite: suite)
    let seen = Log<String>()
    let observation: any DefaultsObservation = _Defaults.observe(key) {
      seen.append($0.newValue.name)
    }
    _Defaults[key] = User(name: "Bo")
    observation.invalidate()
    #expect(seen.all == ["", "Bo"])
  }

  @Test("Sample: collections and sets use protocols outside the namespace")
  func collections() {
    func elements<C: DefaultsCollectionSerializable>(_ collection: C) -> Int { collection.count }
    func members<S: DefaultsSetAlgebraSerializable>(_ set: S) -> Int { set.toArray().count }
    #expect(elements(Bag([1, 2])) == 2)
    #expect(members(Tags(store: ["a"])) == 1)
  }
}

private struct Bag: DefaultsCollectionSerializable {
  private let items: [Int]
  init(_ elements: [Int]) { items = elements }
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { items.index(after: index) }
  subscript(position: Int) -> Int { items[position] }
}

private struct Tags: DefaultsSetAlgebraSerializable {
  var store: Set<String> = []
  func toArray() -> [String] { Array(store) }
  func contains(_ member: String) -> Bool { store.contains(member) }
  func union(_ other: Self) -> Self { Self(store: store.union(other.store)) }
  func intersection(_ other: Self) -> Self { Self(store: store.intersection(other.store)) }
  func symmetricDifference(_ other: Self) -> Self {
    Self(store: store.symmetricDifference(other.store))
  }
  mutating func insert(_ member: String) -> (inserted: Bool, memberAfterInsert: String) {
    store.insert(member)
  }
  mutating func remove(_ member: String) -> String? { store.remove(member) }
  mutating func update(with member: String) -> String? { store.update(with: member) }
  mutating func formUnion(_ other: Self) { store.formUnion(other.store) }
  mutating func formIntersection(_ other: Self) { store.formIntersection(other.store) }
  mutating func formSymmetricDifference(_ other: Self) {
    store.formSymmetricDifference(other.store)
  }
}
