import Defaults
import Foundation
import TestSupport
import Testing

/// A custom bridge may call `serialize` and `deserialize` of a built-in bridge.
@Suite("The serialize and deserialize methods of bridges")
struct BridgeHalvesTests {
  @Test("A property list value is its own serialized form")
  func propertyLists() {
    let bridge = Defaults.Coding<Defaults.PropertyListValue>.standard
    #expect(bridge.serialize(["a": [1]]) == ["a": [1]])
    #expect(bridge.serialize(nil) == nil)
    #expect(bridge.deserialize(5) == 5)
    #expect(bridge.deserialize(nil) == nil)
  }

  @Test("The serialize and deserialize methods return nil if the bridge throws")
  func refusals() throws {
    let urls = Defaults.Coding<URL>.standard
    let url = try #require(URL(string: "http://a/b"))
    #expect(urls.serialize(url) == "http://a/b")
    #expect(urls.serialize(nil) == nil)
    #expect(urls.deserialize("http://a/b") == url)
    #expect(urls.deserialize("not a URL") == nil)
    #expect(urls.deserialize(5) == nil)
    #expect(urls.deserialize(nil) == nil)
    let objects = Defaults.Coding<RefusedObject>.archive
    #expect(objects.serialize(RefusedObject()) == nil)
  }

  @Test("A custom bridge can be built from the methods of another bridge")
  func composition() throws {
    let stored = try Defaults.PropertyListValue(encoding: Link(text: "http://a"))
    #expect(stored == ["link": "http://a"])
    #expect(try stored.decoded(as: Link.self) == Link(text: "http://a"))
    expectRefusal(
      Link.self, ["link": "not a URL"], "the value isn't in the accepted form")
  }

  private struct Link: Defaults.Serializable, Equatable {
    var text: String

    static let bridge = Bridge()

    struct Bridge: Defaults.Bridge {
      private let urls = Defaults.Coding<URL>.standard

      func serialize(_ value: Link?) -> [String: Defaults.PropertyListValue]? {
        guard let value, let url = URL(string: value.text) else { return nil }
        return urls.serialize(url).map { ["link": $0] }
      }

      func deserialize(_ object: [String: Defaults.PropertyListValue]?) -> Link? {
        urls.deserialize(object?["link"]).map { Link(text: $0.relativeString) }
      }
    }
  }

  @Test("A custom bridge that returns nil for a value removes an entry and throws in a collection")
  func secretRemoval() throws {
    let coding = Defaults.Coding<Int>.bridge(Vanishing())
    #expect(try coding.edit(for: 0) == .remove)
    #expect(try coding.edit(for: 1) == .set(1))
    expect(.array(of: coding), [1, 2], isStoredAs: [1, 2])
    expect(
      .array(of: coding), refusesToWrite: [1, 0], "[1]: nil can't be stored inside a collection")
  }

  /// Returns nil for zero, which removes the entry.
  private struct Vanishing: Defaults.PropertyListBridge {
    func encode(_ value: Int) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
      try Int.bridge.encode(value)
    }
    func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Int {
      try Int.bridge.decode(stored)
    }
    func edit(for value: Int) throws(Defaults.ConversionError) -> Defaults.Edit {
      value == 0 ? .remove : .set(try encode(value))
    }
  }
}
