import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Files with nested entries as layers")
struct NestedLayerTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func suite(_ text: String, in name: String = "app.json") throws -> Defaults.LayeredSuite {
    try folder.write(text, to: name)
    return try Defaults.LayeredSuite(
      .file(folder.url(name)), .writable(Defaults.MemorySuite()),
      onIssue: { [issues] in issues.append($0) })
  }

  private func key(_ name: String, in suite: Defaults.LayeredSuite) -> Defaults.Key<Int> {
    Defaults.Key(name, default: 0, suite: suite)
  }

  private let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>limits</key><dict>
    <key>other</key><array><dict><key>requests</key><integer>1</integer></dict></array>
    <key>requests</key><integer>60</integer>
    </dict></dict></plist>
    """

  @Test("A member of a JSON object or of a property list's dictionary is a setting with its line")
  func member() throws {
    let json = """
      {
        // Each minute.
        "limits": {
          "other": [{"requests": 1}],
          "requests": 60
        }
      }
      """
    for (name, text) in [("app.json", json), ("app.plist", plist)] {
      let suite = try suite(text, in: name)
      let requests = key("limits.requests", in: suite)
      #expect(suite[requests] == 60)
      #expect(suite.inspect(requests)[0].place == folder[name] + ", line 5")
      #expect(suite.entries == ["limits.requests": 60])
    }
    #expect(issues.count == 0)
  }

  @Test("A dictionary is one entry if it is a setting or has no member that is a setting")
  func lazyKeys() throws {
    let suite = try suite(#"{"limits": {"requests": 60, "burst": 5}}"#)
    #expect(suite.entries == ["limits": ["requests": 60, "burst": 5]])
    #expect(suite[key("limits.requests", in: suite)] == 60)
    #expect(suite.entries == ["limits.requests": 60])
    let limits = Defaults.Key<[String: Int]>("limits", default: [:], suite: suite)
    #expect(suite[limits] == ["requests": 60, "burst": 5])
    #expect(suite[key("limits.requests", in: suite)] == 0)
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.last?.key == "limits.requests")
    #expect(issues.last?.description.contains("app.json, line 1") == true)
  }

  @Test(
    "If a file has a setting both nested and by full name, the full name is used, with an issue")
  func twice() throws {
    let suite = try suite(#"{"limits": {"requests": 60}, "limits.requests": 70}"#)
    #expect(suite[key("limits.requests", in: suite)] == 70)
    #expect(suite[key("limits.other", in: suite)] == 0)
    try suite.refresh()
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.last?.error.reason.contains("the full name is used") == true)
  }

  @Test("A nested setting is found and observed in its current group and in its previous group")
  func change() async throws {
    let suite = try suite(#"{"http.limits": {"rate": 1}}"#)
    let key = Defaults.Key<Int>(
      "limits.requests", default: 0, suite: suite, .renamed(from: "http.limits.rate"))
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 1)
    try folder.replace("app.json", with: #"{"http": {"limits": {"rate": 2}}}"#)
    #expect(await values.next() == 2)
    try folder.replace("app.json", with: #"{"limits": {"requests": 3}}"#)
    #expect(await values.next() == 3)
    try folder.replace("app.json", with: #"{"limits": 4}"#)
    #expect(await values.next() == 0)
    #expect(issues.count == 0)
  }

  @Test("Only names outside of arrays have line numbers, and long names take no extra memory")
  func lines() {
    let members = (0..<1_000).map { "\"m\($0)\": 1" }.joined(separator: ",\n")
    for count in [100, 100_000] {
      let long = String(repeating: "x", count: count)
      #expect(Defaults.linesOfNames(in: Data("{\"\(long)\": {\(members)}}".utf8)) == [long: 1])
    }
    let text = """
      {"a": {"b": 1, "c": [{"d": 1}],
        "d": {"e": {"$data": ""}}},
       "a.b": 2, "f": [[{"g": 1}], 1],
       "h": {"i": 1}}
      """
    #expect(
      Defaults.linesOfNames(in: Data(text.utf8)) == [
        "a": 1, "a.b": 3, "a.c": 1, "a.d": 2, "a.d.e": 2, "f": 3, "h": 4, "h.i": 4,
      ])
  }

  @Test("An invalid member is reported as an issue with its line, and the next layer is used")
  func invalid() throws {
    let suite = try suite("{\"limits\":\n{\"requests\": \"many\"}}")
    #expect(suite[key("limits.requests", in: suite)] == 0)
    #expect(issues.codes == [.undecodable])
    #expect(issues.last?.description.contains("app.json, line 2") == true)
  }
}
