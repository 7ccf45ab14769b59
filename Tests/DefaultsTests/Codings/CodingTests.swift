import Testing

@testable import Defaults

@Suite("Codings")
struct CodingTests {
  @Test("A coding made of a bridge edits and reads entries like the bridge")
  func forwarding() throws {
    let optional = Defaults.Coding(Int?.bridge)
    #expect(try optional.edit(for: nil) == .remove)
    #expect(try optional.edit(for: 5) == .set(5))
    #expect(try optional.value(ofEntry: 5) == 5)
    #expect(throws: Defaults.ConversionError("5.5 isn't exactly representable as Int")) {
      try optional.value(ofEntry: 5.5)
    }
    let any = Defaults.Coding(Defaults.AnySerializable.bridge)
    #expect(
      throws: Defaults.ConversionError("nil can't be stored inside a collection", path: ["[0]"])
    ) {
      try any.edit(for: [nil])
    }
  }

  @Test("A coding of an optional can remove the entry, except a coding that stores nil")
  func removal() {
    let optional = Defaults.Coding(Int?.bridge)
    let explicit = Defaults.Coding<Int?>.storingNil()
    for coding in [optional, .optional(.json), optional.reading(explicit)] {
      #expect(coding.canRemove)
    }
    for coding in [explicit, .storingNil(.json), explicit.reading(optional)] {
      #expect(!coding.canRemove)
    }
    #expect(!Defaults.Coding(Int.bridge).canRemove)
    #expect(!Defaults.ExplicitNilBridge(Int.bridge).canRemove)
  }

  @Test("Codings compose for types that aren't Serializable")
  func foreignTypes() throws {
    struct Point: Codable, Equatable { var x = 1 }
    let coding: Defaults.Coding<[Point?]> = .array(of: .optional(.json))
    let points = [Point(), nil]
    #expect(try coding.edit(for: points) == .set([[#"{"x":1}"#], []]))
    #expect(try coding.value(ofEntry: [[#"{"x":1}"#], []]) == points)
  }

  private struct OldServer: Codable, Defaults.Serializable {
    var host: String
  }

  private struct Server: Codable, Equatable, Defaults.Serializable {
    var host: String
    var port: Int
  }

  @Test("An optional array that can store nil is read although a field was added to its elements")
  func storedNilWithAddedField() throws {
    let codings = [
      (Defaults.Coding<[OldServer]?>.storingNil(), Defaults.Coding<[Server]?>.storingNil()),
      (.storingNil(.array(of: .propertyList)), .storingNil(.array(of: .propertyList))),
    ]
    for (old, new) in codings {
      let suite = Defaults.MemorySuite()
      suite.write(try old.edit(for: [OldServer(host: "a")]), named: "servers")
      let key = Defaults.Key<[Server]?>(
        "servers", default: [Server(host: "", port: 80)], coding: new, suite: suite)
      #expect(try suite.value(for: key) == [Server(host: "a", port: 80)])
    }
  }
}
