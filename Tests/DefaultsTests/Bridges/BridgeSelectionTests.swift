import Foundation
import TestSupport
import Testing

@testable import Defaults

/// The type of the bridge that the compiler selects for a type.
private func bridge<V: Defaults.Serializable>(_: V.Type) -> V.Bridge.Type { V.Bridge.self }

@Suite("Bridge selection")
struct BridgeSelectionTests {
  @Test(
    "Every combination of protocols on enumerations and structures selects the preferred bridge")
  func values() throws {
    #expect(bridge(Raw.self) == Defaults.RawRepresentableBridge<Raw>.self)
    #expect(bridge(Coded.self) == CodableBridge<Coded>.self)
    #expect(bridge(CodedRaw.self) == CodableBridge<CodedRaw>.self)
    #expect(bridge(PreferredRaw.self) == Defaults.RawRepresentableBridge<PreferredRaw>.self)
    #expect(bridge(RawOnly.self) == Defaults.RawRepresentableBridge<RawOnly>.self)
    #expect(try Defaults.PropertyListValue(encoding: Raw.json) == "application/json")
    #expect(try Defaults.PropertyListValue(encoding: CodedRaw.json) == "\"application/json\"")
    #expect(try Defaults.PropertyListValue(encoding: PreferredRaw.json) == "application/json")
    #expect(try roundTrip(Flags([.a, .b])) == [.a, .b])
    #expect(try Defaults.PropertyListValue(encoding: Flags([.a, .b])) == 3)
  }

  @Test("Every combination of protocols on classes selects the preferred bridge")
  func classes() {
    #expect(bridge(N.self) == NSSecureCodingBridge<N>.self)
    #expect(bridge(CN.self) == CodableBridge<CN>.self)
    #expect(bridge(RN.self) == Defaults.RawRepresentableBridge<RN>.self)
    #expect(bridge(CRN.self) == CodableBridge<CRN>.self)
    #expect(bridge(NPreferred.self) == NSSecureCodingBridge<NPreferred>.self)
    #expect(bridge(CNPreferred.self) == NSSecureCodingBridge<CNPreferred>.self)
    #expect(bridge(RNPreferred.self) == NSSecureCodingBridge<RNPreferred>.self)
    #expect(bridge(CRNPreferred.self) == NSSecureCodingBridge<CRNPreferred>.self)
    #expect(bridge(CRNPreferringRaw.self) == Defaults.RawRepresentableBridge<CRNPreferringRaw>.self)
    #expect(bridge(RNPreferringRaw.self) == Defaults.RawRepresentableBridge<RNPreferringRaw>.self)
  }

  @Test("A class is stored in the form that its protocols prefer")
  func storedClasses() throws {
    #expect(try Defaults.PropertyListValue(encoding: RN()) == 0)
    #expect(try Defaults.PropertyListValue(encoding: RNPreferringRaw()) == 0)
    #expect(try Defaults.PropertyListValue(encoding: CRNPreferringRaw()) == 0)
    #expect(try Defaults.PropertyListValue(encoding: CN()) == "0")
    #expect(try Defaults.PropertyListValue(encoding: CRN()) == "0")
    // Nested classes have no name in archives, so they can't be archived.
    func expectArchive(
      _ value: some Defaults.Serializable, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: Defaults.ConversionError.self, sourceLocation: sourceLocation) {
        try Defaults.PropertyListValue(encoding: value)
      }
      #expect(
        error?.reason.hasSuffix("has no name in archives") == true, sourceLocation: sourceLocation)
    }
    expectArchive(N())
    expectArchive(NPreferred())
    expectArchive(CNPreferred())
    expectArchive(RNPreferred())
    expectArchive(CRNPreferred())
  }

  @Test("A custom collection is preferred to Codable and RawRepresentable")
  func collections() throws {
    #expect(
      bridge(CodedList.self)
        == Defaults.CollectionBridge<CodedList>.self)
    #expect(
      bridge(RawList.self) == Defaults.CollectionBridge<RawList>.self)
    #expect(
      bridge(CodedRawList.self)
        == Defaults.CollectionBridge<CodedRawList>.self)
    #expect(try Defaults.PropertyListValue(encoding: CodedList([2, 1])) == [2, 1])
    #expect(try Defaults.PropertyListValue(encoding: RawList([2, 1])) == [2, 1])
    #expect(try roundTrip(CodedRawList([2, 1])).items == [2, 1])
  }

  @Test("A custom set is preferred to Codable and RawRepresentable")
  func sets() throws {
    #expect(bridge(CodedSet.self) == Defaults.SetAlgebraBridge<CodedSet, Int.Bridge>.self)
    #expect(bridge(RawSet.self) == Defaults.SetAlgebraBridge<RawSet, Int.Bridge>.self)
    #expect(bridge(CodedRawSet.self) == Defaults.SetAlgebraBridge<CodedRawSet, Int.Bridge>.self)
    #expect(try Defaults.PropertyListValue(encoding: [2, 1] as CodedRawSet) == [1, 2])
    #expect(try Defaults.PropertyListValue(encoding: [2, 1] as RawSet) == [1, 2])
    #expect(try roundTrip([2, 1] as CodedSet) == [1, 2])
  }

  @Test("Standard types keep their own bridges although they are Codable")
  func standardTypes() {
    #expect(bridge(Int.self) == Defaults.IntegerBridge<Int>.self)
    #expect(bridge([Date].self) == ArrayBridge<Defaults.DateBridge>.self)
    #expect(
      bridge([String: URL?].self)
        == DictionaryBridge<String, Defaults.OptionalBridge<URLBridge>>.self)
  }

  @Test("A custom bridge is preferred to every other bridge")
  func ownBridge() throws {
    #expect(bridge(User.self) == UserBridge.self)
    let user = User(name: "Hello", age: "24")
    #expect(try Defaults.PropertyListValue(encoding: user) == ["name": "Hello", "age": "24"])
    #expect(try roundTrip([user]) == [user])
    #expect(try roundTrip(Set([user])) == [user])
    #expect(try roundTrip(["user": user])["user"]?.name == "Hello")
    expectRefusal(
      [User].self, [["name": "x"]], "[0]: the value isn't in the accepted form")
  }

  @Test("Decoding an unknown raw value throws an error that quotes the value")
  func unknownRawValues() {
    expectRefusal(Raw.self, "text/html", "\"text/html\" isn't a known value")
    expectRefusal([String: Level].self, ["a": 7], "a: 7 isn't a known value")
    expectRefusal(Level.self, "x", "it is a string, and an integer was expected")
    expectRefusal(Listed.self, "x", "\"x\" isn't one of \"light\", \"dark\"")
  }

  private enum Listed: String, CaseIterable, Defaults.Serializable { case light, dark }

  @Test("The error about an entry that can't be read has no names of types")
  func unreadable() {
    let suite = Defaults.MemorySuite(["user": ["name": "x"], "since": "soon"])
    let user = Defaults.Key<User?>("user", suite: suite)
    let since = Defaults.Key<Date?>("since", suite: suite)
    let custom = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: user) }
    #expect(custom?.reason == "The entry can't be read: the value isn't in the accepted form")
    let date = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: since) }
    #expect(
      date?.reason
        == "The entry can't be read: it is a string, and a date was expected; in JSON, write "
        + #"{"$date": "2026-01-01T00:00:00Z"}"#)
  }
}

private struct User: Hashable {
  let name: String
  let age: String
}
private struct UserBridge: Defaults.Bridge {
  func serialize(_ value: User?) -> [String: String]? {
    value.map { ["name": $0.name, "age": $0.age] }
  }
  func deserialize(_ object: [String: String]?) -> User? {
    guard let name = object?["name"], let age = object?["age"] else { return nil }
    return User(name: name, age: age)
  }
}
extension User: Defaults.Serializable { static let bridge = UserBridge() }
