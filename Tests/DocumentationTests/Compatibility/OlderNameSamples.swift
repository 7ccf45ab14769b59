import Defaults
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
    #expect(members(SetBag(Set([1]))) == 1)
  }
}
