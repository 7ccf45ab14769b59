import Defaults
import Testing

@Suite("Elements of Codable values with missing fields")
struct MissingElementFieldTests {
  private typealias Stored = Defaults.PropertyListValue

  private let suite = Defaults.MemorySuite()

  private func store(_ entry: Stored, named name: String) { suite.set(entry, forKey: name) }

  @Test(
    "Missing fields of array elements are completed if all elements of the default agree",
    arguments: [
      Defaults.Coding<[GrownServer]>.json, .propertyList, .standard, .array(of: .propertyList),
    ])
  private func arrays(_ coding: Defaults.Coding<[GrownServer]>) throws {
    struct Before: Codable, Sendable {
      var host: String
      var note: String?
    }
    let before = [Before(host: "a"), Before(host: "b", note: "n"), Before(host: "c")]
    let structures: Stored = .array([["host": "a"], ["host": "b", "note": "n"], ["host": "c"]])
    let texts: Stored = .array([
      #"{"host":"a"}"#, #"{"host":"b","note":"n"}"#, #"{"host":"c"}"#,
    ])
    let json = try #require(try Defaults.Coding<[Before]>.json.edit(for: before).entry)
    let entry = try #require(
      [json, structures, texts].first { stored in
        // The coding finds no other error in this form than a missing field.
        (try? coding.value(ofEntry: stored, fillingFrom: [[GrownServer()]])) != nil
      })
    store(entry, named: "servers")
    let filled = [
      GrownServer(host: "a", port: 80), GrownServer(host: "b", port: 80, note: "n"),
      GrownServer(host: "c", port: 80),
    ]
    func value(_ servers: [GrownServer]) throws -> [GrownServer] {
      let key = Defaults.Key(
        "servers", default: servers, coding: coding, suite: Defaults.MemorySuite(suite.entries))
      return try key.suite.value(for: key)
    }
    #expect(try value([GrownServer()]) == filled)
    #expect(try value([GrownServer(host: "x"), GrownServer(host: "y", note: "m")]) == filled)
    #expect(throws: Defaults.SuiteError.self) { try value([]) }
    #expect(throws: Defaults.SuiteError.self) { try value([GrownServer(), GrownServer(port: 81)]) }
  }

  @Test("Elements of a set and a dictionary are completed from the default's elements")
  func sets() throws {
    store([#"{"host":"a"}"#, #"{"host":"b"}"#], named: "set")
    let set = Defaults.Key<Set<GrownServer>>("set", default: [GrownServer()], suite: suite)
    #expect(try suite.value(for: set) == [GrownServer(host: "a"), GrownServer(host: "b")])
    store(["home": #"{"host":"a"}"#, "work": #"{"host":"b"}"#], named: "map")
    let map = Defaults.Key<[String: GrownServer]>(
      "map", default: ["home": GrownServer(port: 1), "work": GrownServer(port: 2)], suite: suite)
    #expect(
      try suite.value(for: map) == [
        "home": GrownServer(host: "a", port: 1), "work": GrownServer(host: "b", port: 2),
      ])
    let other = Defaults.Key<[String: GrownServer]>(
      "map", default: ["home": GrownServer()], suite: suite)
    #expect(throws: Defaults.SuiteError.self) { try suite.value(for: other) }
  }

  @Test("A long array with missing fields is completed in a few steps")
  func longArray() throws {
    let elements = (0..<2_000).map {
      $0.isMultiple(of: 2) ? #"{"host":"\#($0)"}"# : #"{"host":"\#($0)","note":"x"}"#
    }
    store(.string("[\(elements.joined(separator: ","))]"), named: "servers")
    let key = Defaults.Key("servers", default: [GrownServer()], coding: .json, suite: suite)
    let value = try suite.value(for: key)
    #expect(value.count == 2_000)
    #expect(value[1] == GrownServer(host: "1", note: "x"))
  }

  @Test("Elements that differ in their fields are completed one by one, up to a limit")
  func differentElements() throws {
    // In all, the limit of 256 is larger than 64 MiB divided by the size.
    let host = String(repeating: "a", count: 1_200)
    func value(_ count: Int) throws -> [GrownServer] {
      let elements = (0..<count).map { #"{"host":"\#(host)","\#($0)":0}"# }
      store(.string("[\(elements.joined(separator: ","))]"), named: "servers")
      return try suite.value(
        for: Defaults.Key("servers", default: [GrownServer()], coding: .json, suite: suite))
    }
    #expect(try value(256).allSatisfy { $0.port == 80 })
    let error = #expect(throws: Defaults.SuiteError.self) { try value(257) }
    #expect(error?.reason.contains("[256]: the field \"port\" is missing") == true)
  }
}
