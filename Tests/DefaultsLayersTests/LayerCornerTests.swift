import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Edge cases of layered suites", .prompt)
struct LayerCornerTests {
  let folder: TemporaryFolder
  let user = Defaults.MemorySuite(label: "the user's")
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  func suite(_ layers: Defaults.Layer...) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(layers, onIssue: { [issues] in issues.append($0) })
  }

  /// A key of another suite, which a layered suite doesn't know before its first use.
  func undeclared(_ name: String) -> Defaults.Key<Int> {
    Defaults.Key(name, default: 0, suite: Defaults.MemorySuite())
  }

  // MARK: - Keys

  @Test("Threads that use a new key at the same time all read its value from the environment")
  func firstUse() throws {
    for _ in 0..<300 {
      let suite = try suite(.environment(prefix: "", ["A": "7"]), .writable(user))
      let key = undeclared("a")
      let values = Log<Int>()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in values.append(suite[key]) }
      #expect(values.all == [7, 7, 7, 7])
    }
  }

  @Test("All declarations of a setting read the entry under a previous name that one of them has")
  func previousNamesOfOneKey() throws {
    user.set(7, forKey: "old")
    let suite = try suite(.writable(user))
    let plain = Defaults.Key("new", default: 1, suite: suite)
    #expect(suite[plain] == 1)
    let renamed = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    #expect(suite[renamed] == 7 && suite[plain] == 7)
    #expect(try suite.increment(renamed) == 8)
    #expect(user.entries == ["new": 8])
  }

  @Test("A value that becomes visible at a key's first use is an external change without an origin")
  func marksOfFirstUse() throws {
    let suite = try suite(.environment(prefix: "", ["A": "7", "B": "8"]), .writable(user))
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    let (a, b) = (undeclared("a"), undeclared("b"))
    Defaults.withoutPropagation { #expect(suite[a] == 7) }
    Defaults.withOrigin("reader") { #expect(suite[b] == 8) }
    #expect(events.all.map(\.names) == [["a"], ["b"]])
    #expect(events.all.map(\.source) == [.external, .external])
    #expect(events.all.map(\.origin) == [nil, nil])
    withExtendedLifetime(observation) {}
  }

  @Test("Settings with the same previous name all follow a source's entry of that name")
  func sharedPreviousName() throws {
    let source = Manual(["old": 1])
    let suite = try suite(Defaults.Layer("site", source), .writable(user))
    let a = Defaults.Key<Int>("a", default: 0, suite: suite, .renamed(from: "old"))
    let b = Defaults.Key<Int>("b", default: 0, suite: suite, .renamed(from: "old"))
    #expect(suite[a] == 1 && suite[b] == 1)
    source.set(["old": 2])
    #expect(suite[a] == 2 && suite[b] == 2)
    source.set([:])
    #expect(suite[a] == 0 && suite[b] == 0)
  }

  @Test("If the entry under a previous name is invalid, it is reported, and the default is read")
  func invalidPreviousName() throws {
    let suite = try suite(.values(["old": "loud"]), .writable(user))
    let key = Defaults.Key<Int>("new", default: 0, suite: suite, .renamed(from: "old"))
    suite.register(defaults: ["new": 4])
    #expect(suite[key] == 4)
    #expect(suite.inspect(key).map(\.counts) == [false, false, true, false])
    #expect(issues.codes == [.undecodable])
  }

  @Test("A layered suite is released even if the default of one of its keys reads the suite")
  func lifetime() throws {
    weak var storage: Defaults.StoredSuite?
    do {
      let suite = try suite(.values(["a": 1]), .writable(user))
      let a = Defaults.Key<Int>("a", default: 0, suite: suite)
      let b = Defaults.Key<Int>("b", suite: suite) { suite[a] + 1 }
      let c = Defaults.Key<Int>("c", suite: suite, .generatedOnce) { suite[a] + 2 }
      #expect(suite[b] == 2 && suite[c] == 3)
      #expect(b.text(ofEntry: nil) == "2")
      storage = suite.storage
      #expect(storage != nil)
    }
    #expect(storage == nil)
  }

  @Test("A secret of a layer is redacted in descriptions, issues and provenance")
  func secrets() throws {
    let name = "token-of-layer-corners"
    let source = Manual([name: .array(["hidden-one"])])
    let suite = try suite(
      .arguments(["--\(name)=hidden-two"]), Defaults.Layer("site", source), .writable(user))
    let key = Defaults.Key<Int>(name, default: 0, suite: Defaults.MemorySuite(), .secret)
    #expect(suite[key] == 0)
    suite[key] = 4_711
    let texts = issues.all.map(\.description) + suite.inspect(key).map { "\($0)" }
    #expect(issues.count == 2)
    for text in texts + ["\(suite)", "\(user)", "\(suite.storage)"] {
      #expect(!text.contains("hidden") && !text.contains("4711") && !text.contains("4_711"))
    }
  }

  @Test("A managed setting can't be set while a stronger layer overrides it")
  func overriddenManaged() throws {
    let forced = Defaults.Layer("policy", Policy(entries: ["managed": 1]), isManaged: true)
    let suite = try Defaults.LayeredSuite(
      .arguments(["--managed=7"]), forced, .writable(Defaults.MemorySuite()))
    let managed = Defaults.Key("managed", default: 0, suite: suite)
    #expect(suite[managed] == 7 && managed.isManaged)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(2, for: managed) }
    #expect(error?.code == .managed)
  }

  @Test("An import of a managed setting throws an error with its name and changes nothing")
  func importing() throws {
    let forced = Defaults.Layer("policy", Policy(entries: ["managed": 1]), isManaged: true)
    let suite = try suite(forced, .writable(user))
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: Data(#"{"a": 1, "managed": 2}"#.utf8), as: .json)
    }
    #expect(error?.code == .managed && error?.key == "managed")
    #expect(user.entries.isEmpty)
  }

  // MARK: - Bridges that read settings

  @Test("A bridge that reads another setting while it decodes runs no handler inside a lock")
  func decodingThatReads() async {
    await #expect(processExitsWith: .success) {
      let source = Manual(["level": 1])
      let suite = try Defaults.LayeredSuite(
        Defaults.Layer("site", source), .environment(prefix: "", ["UNIT": "7"]),
        .writable(Defaults.MemorySuite()))
      let key = Defaults.Key<Level>("level", default: Level(value: 0), suite: suite)
      let unit = Defaults.Key<Int>("unit", default: 0, suite: Defaults.MemorySuite())
      let seen = Defaults.Key<Int>("seen", default: 0, suite: suite)
      let observation = suite.observe(["unit"]) { _ in suite[seen] += 1 }
      LevelBridge.whenDecoded.withLock { $0 = { _ = suite[unit] } }
      source.set(["level": 2])
      #expect(suite[key].value == 2 && suite[unit] == 7 && suite[seen] == 1)
      // The same when a set decodes the value.
      let other = Defaults.Key<Int>("other", default: 0, suite: Defaults.MemorySuite())
      LevelBridge.whenDecoded.withLock { $0 = { _ = suite[other] } }
      suite[key] = Level(value: 3)
      source.set([:])
      #expect(suite[key].value == 3)
      withExtendedLifetime(observation) {}
    }
  }

  @Test(
    "A bridge in the upper layered suite may read the lower layered suite while it decodes")
  func decodingThatReadsBelow() async {
    await #expect(processExitsWith: .success) {
      let source = Manual(["level": 1])
      let lower = try Defaults.LayeredSuite(
        Defaults.Layer("site", source), .writable(Defaults.MemorySuite()))
      let upper = try Defaults.LayeredSuite(.writable(lower))
      let key = Defaults.Key<Level>("level", default: Level(value: 0), suite: upper)
      let unit = Defaults.Key<Int>("unit", default: 5, suite: Defaults.MemorySuite())
      LevelBridge.whenDecoded.withLock { $0 = { _ = lower[unit] } }
      source.set(["level": 2])
      #expect(upper[key].value == 2)
    }
  }

  // MARK: - Issues

  @Test("A layer's problem that was solved and recurs is reported again")
  func returningProblem() throws {
    let source = Manual(["a": 1])
    user.set(5, forKey: "a")
    let suite = try suite(.writable(user), Defaults.Layer("site", source))
    let key = Defaults.Key<Int>("a", default: 0, suite: suite)
    for count in 1...2 {
      source.fail(POSIXError(.EHOSTUNREACH))
      source.fail(POSIXError(.EHOSTUNREACH))
      #expect(issues.count == 2 * count - 1)
      source.set(["a": "loud"])
      source.set(["a": "loud", "b": 1])
      #expect(issues.count == 2 * count)
      source.set(["a": 1])
    }
    #expect(suite[key] == 5)
  }

  @Test("If the user's entry is undecodable, `inspect` shows the default that is read")
  func unreadableAndRegistered() throws {
    user.set("loud", forKey: "a")
    let suite = try suite(.writable(user))
    let key = Defaults.Key<Int>("a", default: 3, suite: suite)
    suite.register(defaults: ["a": 4])
    let value = suite[key]
    #expect(value == 4)
    let entry = suite.inspect(key).first { $0.counts }
    #expect(entry?.entry == .integer(Int64(value)))
  }

  // MARK: - Files

  @Test("A file's URL is resolved like a path, and a URL of the web is reported as an issue")
  func urls() throws {
    try folder.makeFolder("other/below")
    try folder.link("link", to: "other/below")
    try folder.write(#"{"a": 1}"#, to: "other/site.json")
    let url = URL(filePath: "link/../site.json", relativeTo: folder.url("."))
    let source = Defaults.FileSource(url)
    let suite = try suite(Defaults.Layer("site", source), .writable(user))
    #expect(suite.entry(named: "a") == 1)
    source.url = URL(string: "https://example.org/site.json")
    #expect(source.url?.isFileURL == false)
    #expect(issues.codes == [.noLocation])
    #expect(suite.entry(named: "a") == 1)
  }

  @Test(
    "A file in a folder that can be searched but not listed is watched or polled",
    arguments: [0o711, 0])
  func unlistableFolder(mode: Int) async throws {
    try folder.makeFolder("closed")
    try folder.write(#"{"a": 1}"#, to: "closed/site.json")
    try folder.link("site.json", to: "closed/site.json")
    await #expect(processExitsWith: .success) { [path = folder.path as String, mode] in
      becomeOrdinaryUser(owning: path)
      try #require(chmod(path + "/closed", mode_t(mode & 0o311)) == 0)
      let suite = try Defaults.LayeredSuite(
        .file(URL(filePath: path + "/site.json")), .writable(Defaults.MemorySuite()),
        onIssue: { #expect($0.code == (mode == 0 ? .unreadable : .fileWatchingUnavailable)) })
      let key = Defaults.Key<Int>("a", default: 0, suite: suite)
      var values = Defaults.updates(key).makeAsyncIterator()
      #expect(await values.next() == (mode == 0 ? 0 : 1))
      if mode == 0 {
        try #require(chmod(path + "/closed", 0o700) == 0)
      } else {
        // In place, and without a moment in which the file is empty.
        let file = try FileHandle(forWritingTo: URL(filePath: path + "/closed/site.json"))
        try file.write(contentsOf: Data(#"{"a": 2}"#.utf8))
        try file.close()
      }
      #expect(await values.next() == (mode == 0 ? 1 : 2))
    }
  }
}

/// A value whose bridge calls a closure while it decodes.
struct Level: Defaults.Serializable {
  var value: Int

  static var bridge: LevelBridge { LevelBridge() }
}

struct LevelBridge: Defaults.Bridge {
  static let whenDecoded = Mutex<@Sendable () -> Void>({})

  func serialize(_ value: Level?) -> Int? { value?.value }

  func deserialize(_ object: Int?) -> Level? {
    let body = Self.whenDecoded.withLock { $0 }
    body()
    return object.map { Level(value: $0) }
  }
}
