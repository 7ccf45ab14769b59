import Defaults
import Foundation
import TestSupport
import Testing

/// Neither `Serializable` nor `Codable`.
private struct Point: Hashable {
  var x = 0
  var y = 0
}

extension Defaults.Coding where Value == Point {
  fileprivate static var point: Self {
    .custom(
      encode: { "\($0.x) \($0.y)" },
      decode: { text in
        let parts = text.split(separator: " ").compactMap { Int($0) }
        return parts.count == 2 ? Point(x: parts[0], y: parts[1]) : nil
      })
  }
}

@Suite("Keys with a coding")
struct CodingKeyTests {
  private struct User: Codable, Equatable, Defaults.Serializable { var name = "a" }

  private let suite = Defaults.MemorySuite()
  private let day = Date(timeIntervalSinceReferenceDate: 5)

  @Test("A key with a default stores its value in the form of its coding")
  func constant() throws {
    let key = Defaults.Key("since", default: day, coding: .iso8601, suite: suite)
    #expect(suite[key] == day)
    #expect(key.isDefaultValue)
    suite[key] = Date(timeIntervalSinceReferenceDate: 0.5)
    #expect(suite.entries["since"] == "2001-01-01T00:00:00.5Z")
    #expect(suite[key] == Date(timeIntervalSinceReferenceDate: 0.5))
    try suite.update(key) { $0 += 1 }
    #expect(suite.entries["since"] == "2001-01-01T00:00:01.5Z")
    key.reset()
    #expect(suite[key] == day)
    #expect(suite.entries["since"] == nil)
  }

  @Test("A key with a coding may compute its default, also for an optional")
  func computed() {
    let key = Defaults.Key<Date>("a", coding: .iso8601, suite: suite) { [day] in day }
    #expect(suite[key] == day)
    suite[key] += 1
    #expect(suite.entries["a"] == "2001-01-01T00:00:06Z")
    let optional = Defaults.Key<Date?>("b", coding: .optional(.iso8601), suite: suite) {
      [day] in day
    }
    #expect(suite[optional] == day)
    suite[optional] = day + 1
    #expect(suite.entries["b"] == "2001-01-01T00:00:06Z")
    suite[optional] = nil
    #expect(suite.entries["b"] == nil)
  }

  @Test("An optional key uses the coding of its value, and nil removes the entry")
  func optional() {
    let key = Defaults.Key<Date?>("a", coding: .iso8601, suite: suite)
    #expect(suite[key] == nil)
    suite[key] = day
    #expect(suite.entries["a"] == "2001-01-01T00:00:05Z")
    suite[key] = nil
    #expect(suite.entries["a"] == nil)
    let user = Defaults.Key<User?>("b", coding: .json.base64, suite: suite)
    suite[user] = User()
    #expect(suite.entries["b"] == "eyJuYW1lIjoiYSJ9")
    suite[user] = nil
    #expect(suite.entries["b"] == nil)
  }

  @Test("For an optional key with a default, the coding determines whether nil is stored")
  func optionalWithDefault() {
    let date = Defaults.Key<Date?>("a", default: day, coding: .optional(.iso8601), suite: suite)
    #expect(suite[date] == day)
    suite[date] = nil
    #expect(suite[date] == day)
    // With a coding of the optional itself, nil is a stored value.
    let user = Defaults.Key<User?>("c", default: User(), coding: .json, suite: suite)
    #expect(suite[user] == User())
    suite[user] = nil
    #expect(suite.entries["c"] == "null")
    #expect(suite[user] == nil)
    let explicit = Defaults.Key<User?>("d", default: nil, coding: .optional(.json), suite: suite)
    suite[explicit] = User()
    suite[explicit] = nil
    #expect(suite.entries["d"] == nil)
  }

  @Test("A key with a coding needs no Serializable or Codable value")
  func foreignValues() throws {
    let key = Defaults.Key(
      "point", default: Point(),
      coding: .custom(
        encode: { [$0.x, $0.y] }, decode: { $0.count == 2 ? Point(x: $0[0], y: $0[1]) : nil }),
      suite: suite)
    suite[key] = Point(x: 1, y: 2)
    #expect(suite.entries["point"] == [1, 2])
    #expect(suite[key] == Point(x: 1, y: 2))
    try suite.update(key) { $0.x += 1 }
    #expect(suite.entries["point"] == [2, 2])
    let many = Defaults.Key("points", default: [Point()], coding: .array(of: .point), suite: suite)
    suite[many].append(Point(x: 5, y: 6))
    #expect(suite.entries["points"] == ["0 0", "5 6"])
    let maybe = Defaults.Key<Point?>("maybe", coding: .point, suite: suite)
    suite[maybe] = Point(x: 5, y: 6)
    #expect(suite.entries["maybe"] == "5 6")
  }

  @Test("A key without a coding, or with the coding `.standard`, uses the type's own form")
  func withoutCoding() {
    let user = Defaults.Key("user", default: User(), suite: suite)
    suite[user] = User(name: "b")
    #expect(suite.entries["user"] == #"{"name":"b"}"#)
    let standard = Defaults.Key("user", default: User(), coding: .standard, suite: suite)
    #expect(suite[standard] == User(name: "b"))
    let number = Defaults.Key<Int?>("number", suite: suite)
    #expect(suite[number] == nil)
    let computed = Defaults.Key<Int>("computed", suite: suite) { 5 }
    #expect(suite[computed] == 5)
  }

  @Test("An entry in an older form is read and stays until a value is written")
  func olderForms() {
    let old = Defaults.Key("user", default: User(), coding: .json, suite: suite)
    suite[old] = User(name: "b")
    let new = Defaults.Key(
      "user", default: User(), coding: .propertyList.reading(.json), suite: suite)
    #expect(suite[new] == User(name: "b"))
    #expect(suite.entries["user"] == #"{"name":"b"}"#)
    suite[new] = User(name: "b")
    #expect(suite.entries["user"] == ["name": "b"])
    #expect(suite[new] == User(name: "b"))
  }

  @Test("A value that a coding rejects isn't stored, and an unreadable entry gives the default")
  func refusals() throws {
    let key = Defaults.Key("since", default: day, coding: .iso8601, suite: suite)
    suite[key] = day + 1
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(Date(timeIntervalSinceReferenceDate: .infinity), for: key)
    }
    #expect(error?.code == .unencodable)
    #expect(error?.key == "since")
    #expect(suite.entries["since"] == "2001-01-01T00:00:06Z")
    let text = Defaults.Key("since", default: "", suite: suite)
    suite[text] = "yesterday"
    let unread = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(unread?.code == .undecodable)
    #expect(suite.entries["since"] == "yesterday")
  }

  @Test("Storing an equal value in the same form isn't a change", arguments: SuiteKind.allCases)
  func equalValues(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key<[User]>(
      "users", default: [], coding: .array(of: .propertyList), suite: sample.suite)
    let log = Log<[User]>()
    let observation = Defaults.observe(key, options: []) { log.append($0.newValue) }
    sample.suite[key] = [User()]
    sample.suite[key] = [User()]
    #expect(log.all == [[User()]])
    #expect(sample.suite[key] == [User()])
    #expect(sample.suite.entries["users"] == [["name": "a"]])
    observation.invalidate()
  }
}
