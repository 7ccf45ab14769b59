import Defaults
import Testing

/// Names that stood outside of the namespace, as their documentation shows them.
@Suite("Samples: names outside of the namespace")
struct OlderNameSamples {
  private struct User: DefaultsSerializable {
    var name = ""
    static let bridge = UserBridge()
  }

  private struct UserBridge: DefaultsBridge {
    func serialize(_ value: User?) -> String? { value?.name }
    func deserialize(_ object: String?) -> User? { object.map { User(name: $0) } }
  }

  @Test("A type and its bridge conform by these names, and an observation is kept by one")
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

  @Test("The protocols of collections have theirs")
  func collections() {
    func elements<C: DefaultsCollectionSerializable>(_ collection: C) -> Int { collection.count }
    func members<S: DefaultsSetAlgebraSerializable>(_ set: S) -> Int { set.toArray().count }
    #expect(elements(Bag([1, 2])) == 2)
    #expect(members(SetBag(Set([1]))) == 1)
  }
}
