import Defaults
import Foundation
import Mutation
import Testing

/// The table of the guide "Coming from other libraries", row by row.
@Suite("Forms that the typed facades stored")
struct OlderFormTests {
  let domain: UserDefaultsDomain
  let old: UserDefaults

  init() throws {
    domain = try UserDefaultsDomain()
    old = try domain.open()
  }

  @Test("What a property list has is read as it is", arguments: OlderForm.plain)
  func plain(form: OlderForm) throws { try expect(form) }

  @Test("JSON text in the place of a value is read", arguments: OlderForm.converted)
  func converted(form: OlderForm) throws { try expect(form) }

  @Test("Under keys that aren't strings, every value is JSON text", arguments: OlderForm.keyed)
  func keyed(form: OlderForm) throws { try expect(form) }

  @Test("Collections as JSON text as a whole are read", arguments: OlderForm.oldest)
  func oldest(form: OlderForm) throws { try expect(form) }

  @Test(
    "Collections of one's own as JSON text are read, with data, dates and Codable values in them",
    arguments: OlderForm.ownCollections)
  func ownCollections(form: OlderForm) throws { try expect(form) }

  @Test("Raw values and Codable enums stand for each other", arguments: OlderForm.changed)
  func changed(form: OlderForm) throws { try expect(form) }

  private func expect(_ form: OlderForm) throws {
    old.set(form.stored.foundationObject, forKey: "x")
    #expect(try form.isImported(old, domain.name))
    #expect(form.isReadInPlace(old))
  }

  @Test("A dictionary of our own form, whose keys aren't strings, is read as it is")
  func ownForm() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<[Int: String]>("x", default: [:], suite: suite)
    let inPlace = Defaults.Key<[Int: String]>(
      "x", default: [:], coding: .readingOlderForms, suite: Defaults.UserDefaultsSuite(old))
    old.set(["1": "x", "2": #""y""#], forKey: "x")
    try suite.importUserDefaults(.keys(key), from: old, domain: domain.name)
    #expect(Defaults[key] == [1: "x", 2: #""y""#])
    #expect(Defaults[inPlace] == [1: "x", 2: #""y""#])
  }

  @Test("Storing what would be read as another value is refused, and the old one stays")
  func ambiguous() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<[Int: String]>(
      "x", default: [:], coding: .readingOlderForms, suite: suite)
    try suite.set([1: "x"], for: key)
    #expect(throws: Defaults.SuiteError.self) { try suite.set([1: #""x""#], for: key) }
    #expect(suite.entry(named: "x") == ["1": "x"])
    try suite.set([1: #""x""#, 2: "y"], for: key)
    #expect(suite[key] == [1: #""x""#, 2: "y"])
  }

  @Test("An optional in place is removed by nil, and nil inside of a collection comes back")
  func optionals() throws {
    let suite = Defaults.MemorySuite(["x": #""file:\/\/\/x""#])
    let key = Defaults.Key<URL?>("x", default: nil, coding: .readingOlderForms, suite: suite)
    #expect(suite[key] == URL(filePath: "/x"))
    suite[key] = nil
    #expect(suite.names == [])
    let list = Defaults.Key<[Int?]>("list", default: [], coding: .readingOlderForms, suite: suite)
    suite[list] = [1, nil]
    #expect(suite[list] == [1, nil])
  }

  @Test(
    "What isn't a value of the type in any form is skipped, and reported as before",
    arguments: ["no URL", #""no URL""#, "{", "[1]"])
  func refused(text: String) throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<URL?>("x", suite: suite)
    let date = Defaults.Key<Date?>("date", suite: suite)
    old.set(text, forKey: "x")
    old.set("2020", forKey: "date")
    let report = try suite.importUserDefaults(.keys(key, date), from: old, domain: domain.name)
    #expect(report.taken == [])
    guard case .unusable(let error) = report.skipped["x"],
      case .unusable = report.skipped["date"]
    else {
      Issue.record("\(report)")
      return
    }
    #expect((error.code, error.key) == (.undecodable, "x"))
  }

  @Test("An archive is read from its data")
  func archive() throws {
    let suite = Defaults.MemorySuite()
    let note = Note("Hello", count: 5)
    let key = Defaults.Key<Note?>("note", suite: suite)
    old.set(
      try NSKeyedArchiver.archivedData(withRootObject: note, requiringSecureCoding: true),
      forKey: "note")
    try suite.importUserDefaults(.keys(key), from: old, domain: domain.name)
    #expect(suite[key] == note)
  }

  @Test("A key's own coding comes first")
  func ownCoding() throws {
    let suite = Defaults.MemorySuite()
    let number = Defaults.Key("number", default: 0, coding: .text, suite: suite)
    let since = Defaults.Key(
      "since", default: .distantPast, coding: .secondsSince1970, suite: suite)
    let names = Defaults.Key<[Int: String]>(
      "names", default: [:], coding: .dictionary(of: .json), suite: suite)
    old.set("5", forKey: "number")
    old.set(86_400, forKey: "since")
    old.set(["1": #""x""#], forKey: "names")
    try suite.importUserDefaults(.keys(number, since, names), from: old, domain: domain.name)
    #expect(suite[number] == 5)
    #expect(suite[since] == Date(timeIntervalSince1970: 86_400))
    #expect(suite[names] == [1: "x"])
    #expect(suite.entry(named: "names") == ["1": #""x""#])
  }

  @Test("The codings of the guide read and write the old form itself")
  func codingsOfOldForms() throws {
    let suite = Defaults.UserDefaultsSuite(old)
    old.set(#""https:\/\/example.com\/a""#, forKey: "url")
    old.set(["1": "2"], forKey: "numbers")
    let page = try #require(URL(string: "https://example.com/a"))
    let url = Defaults.Key<URL?>("url", coding: .json, suite: suite)
    let numbers = Defaults.Key<[Int: Int]>(
      "numbers", default: [:], coding: .dictionary(of: .json), suite: suite)
    #expect(Defaults[url] == page)
    #expect(Defaults[numbers] == [1: 2])
    Defaults[url] = page.appending(path: "b")
    Defaults[numbers][3] = 4
    #expect(old.string(forKey: "url") == #""https://example.com/a/b""#)
    #expect(suite.entry(named: "numbers") == ["1": "2", "3": "4"])
  }

  @Test("A value whose encoding isn't the same twice is stored all the same")
  func unstableEncoding() throws {
    struct Tagged: Codable, Defaults.Serializable, Sendable, Equatable {
      var tags: Set<String> = []
    }
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key(
      "tagged", default: Tagged(), coding: .readingOlderForms, suite: suite)
    for number in 0..<100 {
      let value = Tagged(tags: Set((0..<20).map { "tag \(number) \($0)" }))
      try suite.set(value, for: key)
      #expect(suite[key] == value)
    }
  }
}
