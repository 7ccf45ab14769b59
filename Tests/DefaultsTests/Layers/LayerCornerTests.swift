import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import Testing

@Suite("Corners of suites of layers")
struct LayerCornerTests {
  let folder: TemporaryFolder
  let user = Defaults.MemorySuite(label: "the user's")
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func suite(_ layers: Defaults.Layer...) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(layers, onIssue: { [issues] in issues.append($0) })
  }

  /// A key that a suite of layers doesn't know before it is used there.
  private func foreign(_ name: String) -> Defaults.Key<Int> {
    Defaults.Key(name, default: 0, suite: Defaults.MemorySuite())
  }

  // MARK: - Keys

  @Test("Of threads that use a key first at once none reads past its texts")
  func firstUse() throws {
    for _ in 0..<300 {
      let suite = try suite(.environment(prefix: "", ["A": "7"]), .writable(user))
      let key = foreign("a")
      let values = Log<Int>()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in values.append(suite[key]) }
      #expect(values.all == [7, 7, 7, 7])
    }
  }

  @Test("What counts since a key is known isn't the reader's change: no mark, no silence")
  func marksOfFirstUse() throws {
    let suite = try suite(.environment(prefix: "", ["A": "7", "B": "8"]), .writable(user))
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    let (a, b) = (foreign("a"), foreign("b"))
    Defaults.withoutPropagation { #expect(suite[a] == 7) }
    Defaults.withOrigin("reader") { #expect(suite[b] == 8) }
    #expect(events.all.map(\.names) == [["a"], ["b"]])
    #expect(events.all.map(\.source) == [.external, .external])
    #expect(events.all.map(\.origin) == [nil, nil])
    withExtendedLifetime(observation) {}
  }

  @Test("Settings that had one name before all follow it")
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

  @Test("What isn't valid under a previous name gives way, too")
  func invalidPreviousName() throws {
    let suite = try suite(.values(["old": "loud"]), .writable(user))
    let key = Defaults.Key<Int>("new", default: 0, suite: suite, .renamed(from: "old"))
    suite.register(defaults: ["new": 4])
    #expect(suite[key] == 4)
    #expect(suite.inspect(key).map(\.counts) == [false, false, true, false])
    #expect(issues.codes == [.undecodable])
  }

  @Test("A suite goes although the default of a key of its reads it")
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

  @Test("A secret of a layer is in no description, issue or event's text")
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

  @Test("An import names a managed setting, and changes nothing")
  func importing() throws {
    let forced = Defaults.Layer("policy", Policy(entries: ["managed": 1]), isManaged: true)
    let suite = try suite(forced, .writable(user))
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: Data(#"{"a": 1, "managed": 2}"#.utf8), as: .json)
    }
    #expect(error?.code == .managed && error?.key == "managed")
    #expect(user.entries.isEmpty)
  }

  // MARK: - Somebody's code under the lock

  @Test("A type that reads a setting as it is decoded doesn't have handlers run under the lock")
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
      // The same by way of a set.
      let other = Defaults.Key<Int>("other", default: 0, suite: Defaults.MemorySuite())
      LevelBridge.whenDecoded.withLock { $0 = { _ = suite[other] } }
      suite[key] = Level(value: 3)
      source.set([:])
      #expect(suite[key].value == 3)
      withExtendedLifetime(observation) {}
    }
  }

  @Test("A type that reads a lower suite of layers as it is decoded is read in the upper one")
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

  // MARK: - Suites in suites

  @Test("A silent change of a suite that is a layer counts all the same")
  func silentLayer() throws {
    let fleet = Defaults.MemorySuite(["a": 1])
    let suite = try suite(.layer(fleet), .writable(user))
    let key = Defaults.Key<Int>("a", default: 0, suite: suite)
    Defaults.withoutPropagation { fleet.set(2, forKey: "a") }
    #expect(suite[key] == 2)
  }

  @Test("A refresh refreshes the suites that are layers")
  func refreshingLayer() throws {
    let remote = Remote()
    let suite = try suite(.layer(remote), .writable(user))
    #expect(suite.entry(named: "a") == 1)
    try suite.refresh()
    #expect(suite.entry(named: "a") == 2)
  }

  @Test("A suite of layers is the writable layer of another one")
  func nested() throws {
    let forced = Defaults.Layer("policy", Policy(entries: ["managed": 1]), isManaged: true)
    let lower = try suite(forced, .arguments(["--shadowed=7"]), .writable(user))
    let upper = try suite(.writable(lower), .values(["below": 3]))
    func key(_ name: String) -> Defaults.Key<Int> {
      Defaults.Key(name, default: 0, suite: upper)
    }
    let (managed, shadowed, below) = (key("managed"), key("shadowed"), key("below"))
    #expect(upper[managed] == 1 && upper[shadowed] == 7 && upper[below] == 3)
    #expect(managed.isManaged && managed.isShadowed)
    #expect(!shadowed.isManaged && shadowed.isShadowed)
    #expect(!below.isManaged && !below.isShadowed)
    let error = #expect(throws: Defaults.SuiteError.self) { try upper.set(2, for: managed) }
    #expect(error?.code == .managed)
    let events = Log<Defaults.Change>()
    let observation = upper.observe(nil) { events.append($0) }
    try upper.transaction { draft in
      draft[shadowed] = 5
      draft[below] = 6
      #expect(draft[shadowed] == 7 && draft[below] == 6)
    }
    #expect(upper[shadowed] == 7 && upper[below] == 6)
    #expect(user.entries == ["shadowed": 5, "below": 6])
    #expect(events.all.map(\.names) == [["below"]])
    withExtendedLifetime(observation) {}
  }

  @Test("A suite that is made inside of a transaction of another one has its layers at once")
  func madeInTransaction() throws {
    let other = Defaults.MemorySuite()
    try other.transaction { _ in
      let suite = try suite(.values(["a": 1]), .writable(user))
      #expect(suite.entries == ["a": 1])
    }
  }

  @Test("A flush of layers on a .standard that has no file says so")
  func flushInMemory() async throws {
    try folder.write("in the way", to: "config")
    await #expect(processExitsWith: .success) { [path = folder["config"] as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      Defaults.issueHandler = { #expect($0.code == .inMemory) }
      let suite = try Defaults.LayeredSuite(.values(["a": 1]), .writable(.standard))
      let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush() }
      #expect(error?.code == .inMemory)
      Defaults.standard = suite
      #expect(throws: Defaults.SuiteError.self) { try Defaults.standard.flush() }
    }
  }

  @Test("Suites of layers on, in and beside each other agree in the end, and in their events")
  func tangle() async throws {
    let (policy, site) = (Manual(), Manual())
    let lower = try suite(Defaults.Layer("policy", policy), .writable(user))
    let upper = try suite(.writable(lower), Defaults.Layer("site", site))
    let beside = try suite(.writable(user), .layer(lower), .environment(prefix: "", ["N3": "3"]))
    let suites = [lower, upper, beside]
    let names = (0..<8).map { "n\($0)" }
    let logs = suites.map { _ in Log<(String, Defaults.Change.Entry)>() }
    let observations = zip(suites, logs).map { suite, log in
      suite.observe(nil) { change in
        for (name, entry) in change.entries { log.append((name, entry)) }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for source in [policy, site] {
        group.addTask {
          for round in 0..<150 {
            let some = names.filter { _ in Bool.random() }
            source.set(
              Dictionary(uniqueKeysWithValues: some.map { ($0, .integer(Int64(round))) }))
          }
        }
      }
      for (index, suite) in suites.enumerated() {
        group.addTask {
          for round in 0..<300 {
            let key = foreign(names[(round * 5 + index) % names.count])
            switch round % 4 {
            case 0: suite.write(.remove, named: key.name)
            case 1: try? suite.transaction { $0[key] += 1 }
            default: suite[key] = -round
            }
          }
        }
      }
    }
    // What came last was perhaps delivered by a thread that had others to call, too.
    for suite in suites + suites { try suite.refresh() }
    for (suite, log) in zip(suites, logs) {
      var present: [String: Defaults.PropertyListValue] = [:]
      for (name, entry) in log.all {
        #expect(entry.old == present[name])
        present[name] = entry.new
      }
      #expect(suite.entries == present)
    }
    #expect(issues.count == 0)
    withExtendedLifetime(observations) {}
  }

  // MARK: - Issues

  @Test("A problem of a layer is told again when it comes back after it was gone")
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

  @Test("Where the user's entry can't be read, the key's own default counts and is shown so")
  func unreadableAndRegistered() throws {
    user.set("loud", forKey: "a")
    let suite = try suite(.writable(user))
    let key = Defaults.Key<Int>("a", default: 3, suite: suite)
    suite.register(defaults: ["a": 4])
    let value = suite[key]
    let entry = suite.inspect(key).first { $0.counts }
    #expect(entry?.entry == .integer(Int64(value)))
  }

  // MARK: - Files

  @Test("A URL is followed as the system follows it, and one of no file isn't one of the folder")
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
    "A file in a folder that can be searched, but not listed, is followed", arguments: [0o711, 0])
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
        try Data(#"{"a": 2}"#.utf8).write(to: URL(filePath: path + "/closed/site.json"))
      }
      #expect(await values.next() == (mode == 0 ? 1 : 2))
    }
  }

  @Test("A forked child sees what a file has come to have when it refreshes")
  func fork() async throws {
    try folder.write(#"{"a": 1}"#, to: "site.json")
    await #expect(processExitsWith: .success) { [path = folder["site.json"] as String] in
      let suite = try Defaults.LayeredSuite(
        .file(URL(filePath: path)), .writable(Defaults.MemorySuite()))
      let child = try forked()
      if child == 0 {
        guard
          (try? Data(#"{"a": 2}"#.utf8).write(to: URL(filePath: path), options: .atomic)) != nil,
          (try? suite.refresh()) != nil
        else { _exit(1) }
        _exit(suite.entry(named: "a") == 2 ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
    }
  }
}

/// A value that does something when it is decoded.
private struct Level: Defaults.Serializable {
  var value: Int

  static var bridge: LevelBridge { LevelBridge() }
}

private struct LevelBridge: Defaults.Bridge {
  static let whenDecoded = Mutex<@Sendable () -> Void>({})

  func serialize(_ value: Level?) -> Int? { value?.value }

  func deserialize(_ object: Int?) -> Level? {
    let body = Self.whenDecoded.withLock { $0 }
    body()
    return object.map { Level(value: $0) }
  }
}

/// A suite of somebody else that has news when it is refreshed.
private final class Remote: Defaults.Suite {
  let support = Defaults.SuiteSupport(label: "remote")
  private let state = Mutex<[String: Defaults.PropertyListValue]>(["a": 1])

  var entries: [String: Defaults.PropertyListValue] { state.withLock { $0 } }

  func entry(named name: String) -> Defaults.PropertyListValue? { entries[name] }

  func transaction<Result>(_ body: (inout Defaults.Draft) throws -> Result) throws -> Result {
    var draft = Defaults.Draft(of: self)
    return try body(&draft)
  }

  func refresh() { state.withLock { $0["a"] = 2 } }

  func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    support.observe(
      names, options: options, allNames: Set(entries.keys), entry: { entries[$0] }, handler)
  }

  func flush() {}
}
