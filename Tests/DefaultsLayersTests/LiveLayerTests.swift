import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Changes of layers", .timeLimit(.aHang))
struct LiveLayerTests {
  let folder: TemporaryFolder
  let user = Defaults.MemorySuite(["b": 20], label: "the user's")
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func suite(_ layers: Defaults.Layer...) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(layers, onIssue: { [issues] in issues.append($0) })
  }

  private func write(
    _ entries: [String: Defaults.PropertyListValue], to name: String = "site.plist",
    as format: Defaults.PropertyListFormat = .xml
  ) throws {
    try format.encode(entries).write(to: folder.url(name), options: .atomic)
  }

  @Test("A change of a layer is one event with only the names whose effective value differs")
  func differences() throws {
    let source = Manual(["a": 1, "b": 2, "c": 3])
    let suite = try suite(.writable(user), Defaults.Layer("site", source))
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    source.set(["a": 1, "b": 5, "c": 4, "d": 6])
    #expect(
      events.last?.entries == ["c": .init(old: 3, new: 4), "d": .init(old: nil, new: 6)])
    #expect(events.last?.layer == "site" && events.last?.source == .external)
    source.set(["a": 1, "b": 9, "c": 4, "d": 6])
    #expect(events.count == 1)
    source.set([:])
    #expect(events.last?.names == ["a", "c", "d"])
    #expect(suite.entries == ["b": 20])
    withExtendedLifetime(observation) {}
  }

  @Test("Suites with the same layer never load its source on two threads at the same time")
  func sharedLayer() throws {
    let source = Lonely()
    let layer = Defaults.Layer("site", source)
    let suites = [
      try suite(layer, .writable(user)), try suite(layer, .writable(Defaults.MemorySuite())),
    ]
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for _ in 0..<200 { try? suites[index % 2].refresh() }
    }
    #expect(source.most == 1)
  }

  @Test("A change in a file of 1,000 entries notifies the observers of the changed names")
  func largeFile() async throws {
    var entries = Dictionary(
      uniqueKeysWithValues: (0..<1_000).map {
        ("n\($0)", Defaults.PropertyListValue.integer(Int64($0)))
      })
    try write(entries)
    let suite = try suite(.writable(user), .file(folder.url("site.plist"), name: "site"))
    let events = Log<Defaults.Change>()
    let (told, report) = AsyncStream.makeStream(of: Void.self)
    let observation = suite.observe(nil) { change in
      events.append(change)
      report.yield()
    }
    let unrelated = Log<Defaults.Change>()
    let other = suite.observe(["n999"]) { unrelated.append($0) }
    for index in 0..<5 { entries["n\(index)"] = -1 }
    entries["n5"] = nil
    user.set(7, forKey: "n6")
    entries["n6"] = -1
    try write(entries)
    for await _ in told where events.last?.layer == "site" { break }
    #expect(events.last?.names == ["n0", "n1", "n2", "n3", "n4", "n5"])
    #expect(unrelated.count == 0)
    withExtendedLifetime((observation, other)) {}
  }

  @Test("A property and a stream receive the changes of a layer")
  func following() async throws {
    let source = Manual(["b": 1])
    let suite = try suite(Defaults.Layer("policy", source), .writable(user))
    let key = Defaults.Key<Int>("b", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 1)
    source.set(["b": 2])
    #expect(await values.next() == 2)
    source.set([:])
    #expect(await values.next() == 20)
    let changes = Log<Defaults.KeyChange<Int>>()
    let observation = Defaults.observe(key, options: []) { changes.append($0) }
    source.set(["b": 3])
    suite[key] = 4
    source.set([:])
    #expect(changes.all.map(\.newValue) == [3, 4])
    #expect(changes.all.map(\.layer) == ["policy", "policy"])
    withExtendedLifetime(observation) {}
  }

  @Test("A layer follows a file that appears, changes, is damaged, repaired and removed")
  func file() async throws {
    let suite = try suite(
      .file(folder.url("etc/app/site.json")), .writable(user))
    let key = Defaults.Key<Int>("b", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 20)
    try folder.makeFolder("etc/app")
    try folder.replace("etc/app/site.json", with: #"{"b": 1}"#)
    #expect(await values.next() == 1)
    try folder.replace("etc/app/site.json", with: #"{"b": 2, "#)
    try suite.refresh()
    #expect(suite[key] == 1)
    // The thread that follows the file may report the damage after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.malformed])
    #expect(issues.last?.description.contains("site.json") == true)
    #expect(issues.last?.description.contains("line 1") == true)
    try folder.overwrite("etc/app/site.json", with: #"{"b": 3} "#)
    #expect(await values.next() == 3)
    try FileManager.default.removeItem(atPath: folder["etc"])
    #expect(await values.next() == 20)
  }

  @Test("A layer notices when a link to its folder is exchanged", arguments: [true, false])
  func exchangedLink(isAbsolute: Bool) async throws {
    for (name, value) in [("one", 1), ("two", 2)] {
      try folder.makeFolder(name)
      try write(["b": .integer(Int64(value))], to: "\(name)/site.plist")
    }
    func point(to name: String) throws {
      try folder.link("new", to: isAbsolute ? folder[name] : name)
      #expect(rename(folder["new"], folder["data"]) == 0)
    }
    try point(to: "one")
    try folder.link("site.plist", to: "data/site.plist")
    let suite = try suite(.file(folder.url("site.plist")), .writable(user))
    let key = Defaults.Key<Int>("b", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 1)
    try point(to: "two")
    #expect(await values.next() == 2)
    try write(["b": 3], to: "two/site.plist")
    #expect(await values.next() == 3)
    try point(to: "one")
    #expect(await values.next() == 1)
  }

  @Test("A layer whose source fails keeps its entries, reports one issue, and recovers")
  func failure() throws {
    let source = Manual(["b": 1])
    let suite = try suite(Defaults.Layer("remote", source), .writable(user))
    let key = Defaults.Key<Int>("b", default: 0, suite: suite)
    source.fail(POSIXError(.EHOSTUNREACH))
    source.fail(POSIXError(.EHOSTUNREACH))
    #expect(suite[key] == 1)
    #expect(issues.codes == [.unreadable])
    source.set(["b": 2])
    #expect(suite[key] == 2)
  }

  @Test("Another suite can be a layer that is read and followed")
  func suiteLayer() throws {
    let fleet = Defaults.MemorySuite(["a": 1])
    let suite = try suite(.writable(user), .layer(fleet, name: "fleet"))
    let key = Defaults.Key<Int>("a", default: 0, suite: suite)
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    fleet.set(2, forKey: "a")
    #expect(suite[key] == 2)
    #expect(events.last?.layer == "fleet")
    suite[key] = 3
    #expect(fleet.entry(named: "a") == 2)
    withExtendedLifetime(observation) {}
  }

  @Test("A layer's file is switched at run time without changing the writable layer")
  func profile() throws {
    try write(["a": 1, "b": 2], to: "day.plist")
    try write(["a": 1, "b": 3], to: "night.plist", as: .binary)
    let profile = Defaults.FileSource(folder.url("day.plist"))
    let suite = try suite(Defaults.Layer("profile", profile), .writable(user))
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    #expect(suite.entries == ["a": 1, "b": 2])
    profile.url = folder.url("night.plist")
    #expect(suite.entries == ["a": 1, "b": 3])
    #expect(events.last?.names == ["b"] && events.last?.layer == "profile")
    // A damaged file leaves the entries of the earlier one.
    try folder.write("{", to: "damaged.json")
    profile.url = folder.url("damaged.json")
    #expect(suite.entries == ["a": 1, "b": 3])
    profile.url = nil
    #expect(suite.entries == ["b": 20])
    #expect(user.entries == ["b": 20])
    withExtendedLifetime(observation) {}
  }

  @Test("A layer's change during a transaction takes effect when the transaction ends")
  func duringTransaction() throws {
    let source = Manual(["b": 1])
    let suite = try suite(Defaults.Layer("policy", source), .writable(user))
    let key = Defaults.Key<Int>("b", default: 0, suite: suite)
    try suite.transaction { draft in
      source.set(["b": 2])
      #expect(draft[key] == 1)
    }
    #expect(suite[key] == 2)
  }

  @Test("After concurrent changes of layers, keys and setters, the final values and events agree")
  func concurrency() async throws {
    let source = Manual()
    let below = Manual()
    let suite = try suite(
      Defaults.Layer("policy", source), .writable(user), Defaults.Layer("site", below))
    let names = (0..<20).map { "n\($0)" }
    let last = Log<[String: Defaults.PropertyListValue]>()
    let state = Log<(String, Defaults.Change.Entry)>()
    let observation = suite.observe(nil) { change in
      for (name, entry) in change.entries { state.append((name, entry)) }
    }
    await withTaskGroup(of: Void.self) { group in
      for (index, layer) in [source, below].enumerated() {
        group.addTask {
          for round in 0..<300 {
            let some = names.filter { _ in Bool.random() }
            layer.set(
              Dictionary(
                uniqueKeysWithValues: some.map { ($0, .integer(Int64(round * 10 + index))) }))
          }
        }
      }
      for task in 0..<2 {
        group.addTask {
          for round in 0..<1_000 {
            let name = names[(round * 7 + task) % names.count]
            let key = Defaults.Key<Int>(name, default: 0, suite: suite)
            if round % 3 == 0 { key.reset() } else { suite[key] = -round }
          }
        }
      }
    }
    try suite.refresh()
    // Each event begins with the end of the previous one, and the last one is the current state.
    var present: [String: Defaults.PropertyListValue] = [:]
    for (name, entry) in state.all {
      #expect(entry.old == present[name])
      present[name] = entry.new
    }
    present["b"] = 20
    #expect(suite.entries == present)
    #expect(issues.count == 0)
    withExtendedLifetime((observation, last)) {}
  }
}

/// A source that counts how many threads load it at the same time.
private final class Lonely: Defaults.LayerSource {
  private let state = Mutex((present: 0, most: 0))

  var most: Int { state.withLock { $0.most } }

  func load() -> Defaults.LayerContent {
    state.withLock { state in
      state.present += 1
      state.most = max(state.most, state.present)
    }
    for _ in 0..<100 { sched_yield() }
    state.withLock { $0.present -= 1 }
    return .entries([:])
  }
}
