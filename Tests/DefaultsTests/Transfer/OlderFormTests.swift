import Defaults
import Foundation
import FuzzInputs
import TestSupport
import Testing

/// The table "Stored forms" of Compatibility/Tables/ComingFromDefaults.md, row by row.
@Suite("Forms stored by older libraries", .needsUserDefaults)
struct OlderFormTests {
  let domain: UserDefaultsDomain
  let old: UserDefaults

  init() throws {
    domain = try UserDefaultsDomain()
    old = try domain.open()
  }

  @Test("A property list value from an older library is read unchanged", arguments: OlderForm.plain)
  func plain(form: OlderForm) throws { try expect(form) }

  @Test(
    "JSON text that an older library stored in place of a value is read",
    arguments: OlderForm.converted)
  func converted(form: OlderForm) throws { try expect(form) }

  @Test(
    "JSON text is read in place of each value of a dictionary whose keys aren't strings",
    arguments: OlderForm.keyed)
  func keyed(form: OlderForm) throws { try expect(form) }

  @Test(
    "JSON text that an older library stored for a whole collection is read",
    arguments: OlderForm.oldest)
  func oldest(form: OlderForm) throws { try expect(form) }

  @Test(
    "JSON text of an older library is read for custom collections of data, dates and Codables",
    arguments: OlderForm.ownCollections)
  func ownCollections(form: OlderForm) throws { try expect(form) }

  @Test(
    "A stored value is read after its type became Codable, or is no longer Codable",
    arguments: OlderForm.changed)
  func changed(form: OlderForm) throws { try expect(form) }

  private func expect(_ form: OlderForm) throws {
    old.set(form.stored.foundationObject, forKey: "x")
    #expect(try form.isImported(old, domain.name))
    #expect(form.isReadInPlace(old))
  }

  @Test("A dictionary in this library's form, with keys that aren't strings, is read unchanged")
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

  @Test("A value whose stored form would be read as another value is rejected")
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

  @Test("Setting nil removes an entry in an older form; inside a collection, nil is kept")
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
    "A value that no form can read is skipped and reported",
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

  @Test("An archive of an older library is read from its data")
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

  @Test("A key's own coding precedes older forms")
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

  @Test("The codings of the documentation read and write the older forms")
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

  @Test("A value whose encoding differs each time can be stored")
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
