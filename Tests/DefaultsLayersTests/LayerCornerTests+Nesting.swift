import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import TestSupport
import Testing

// Layered suites as layers of other suites.

extension LayerCornerTests {
  @Test("A change without propagation in a suite that is a layer is visible in the layered suite")
  func silentLayer() throws {
    let fleet = Defaults.MemorySuite(["a": 1])
    let suite = try suite(.layer(fleet), .writable(user))
    let key = Defaults.Key<Int>("a", default: 0, suite: suite)
    Defaults.withoutPropagation { fleet.set(2, forKey: "a") }
    #expect(suite[key] == 2)
  }

  @Test("A refresh of a layered suite also refreshes the suites that are its layers")
  func refreshingLayer() throws {
    let remote = Remote()
    let suite = try suite(.layer(remote), .writable(user))
    #expect(suite.entry(named: "a") == 1)
    try suite.refresh()
    #expect(suite.entry(named: "a") == 2)
  }

  @Test("A layered suite can be the writable layer of another layered suite")
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

  @Test("A secret of a layered suite is redacted in every suite of which that suite is a layer")
  func nestedSecrets() throws {
    try folder.makeFolder("secrets")
    let inner = try suite(.folder(folder.url("secrets"), isSecret: true), .writable(user))
    let outer = [
      try suite(.writable(inner)), try suite(.layer(inner), .writable(Defaults.MemorySuite())),
    ]
    let renamed = outer.map { suite in
      Defaults.Key("apiToken", default: "", suite: suite, .renamed(from: "token"))
    }
    #expect(inner[Defaults.Key("token", default: "", suite: inner)] == "")
    for (suite, key) in zip(outer, renamed) { #expect(suite[key] == "") }
    try folder.write("hunter2", to: "secrets/token")
    try folder.write("5", to: "secrets/pin")
    var texts: [String] = []
    for (suite, renamed) in zip(outer, renamed) {
      try suite.refresh()
      let token = Defaults.Key("token", default: "", suite: suite)
      #expect(suite[token] == "hunter2" && suite[renamed] == "hunter2")
      texts.append(try suite.exportString(as: .json))
      texts += (suite.inspect(token) + suite.inspect(renamed)).map(\.description)
    }
    let third = try suite(.environment(prefix: "", ["PIN": "hunter3"]), .writable(inner))
    #expect(third[Defaults.Key<Int>("pin", default: 0, suite: third)] == 5)
    #expect(issues.codes.contains(.invalid))
    for text in texts + issues.all.map(\.description) { #expect(!text.contains("hunter")) }
  }

  /// A source without settings that reports each look-up.
  private struct Asked: Defaults.LayerSource {
    let body: @Sendable () -> Void

    func load() -> Defaults.LayerContent {
      .texts { _ in
        body()
        return nil
      }
    }
  }

  @Test("A suite of layers has an entry that another thread derives in the suite below meanwhile")
  func derivedMeanwhile() throws {
    let reader = ObjectIdentifier(Thread.current)
    let (isDerived, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let lower = try suite(.environment(prefix: "", ["PIN": "5"]), .writable(user))
    @Sendable func pin(_ suite: Defaults.LayeredSuite) -> Defaults.Key<Int> {
      Defaults.Key("pin", default: 0, suite: suite)
    }
    // Stops the other thread after the lower suite has the entry, before the upper suite learns it.
    let other = try suite(
      .writable(lower),
      Defaults.Layer(
        "other",
        Asked {
          if ObjectIdentifier(Thread.current) == reader || !lower.contains("pin") { return }
          isDerived.signal()
          mayEnd.wait()
          mayEnd.signal()
        }))
    let lookups = Atomic(0)
    let upper = try suite(
      .writable(lower),
      Defaults.Layer(
        "upper",
        Asked {
          // The first two look for problems. Then the entry is derived.
          guard ObjectIdentifier(Thread.current) == reader,
            lookups.add(1, ordering: .relaxed).newValue == 3
          else { return }
          Thread.detachNewThread {
            #expect(other[pin(other)] == 5)
            hasEnded.signal()
          }
          isDerived.wait()
        }))
    #expect(upper[pin(upper)] == 5)
    #expect(lookups.load(ordering: .relaxed) >= 3)
    mayEnd.signal()
    hasEnded.wait()
  }

  @Test(
    "A layered suite that is created in a transaction of another suite has its layers immediately")
  func madeInTransaction() throws {
    let other = Defaults.MemorySuite()
    try other.transaction { _ in
      let suite = try suite(.values(["a": 1]), .writable(user))
      #expect(suite.entries == ["a": 1])
    }
  }

  @Test("A flush of layers on a .standard suite that has no file throws an error")
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

  @Test(
    "Nested layered suites that share layers agree in entries and events after concurrent changes")
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
            let key = undeclared(names[(round * 5 + index) % names.count])
            switch round % 4 {
            case 0: suite.write(.remove, named: key.name)
            case 1: try? suite.transaction { $0[key] += 1 }
            default: suite[key] = -round
            }
          }
        }
      }
    }
    // The last change may still be delivered by a thread that runs other handlers.
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

  @Test("A handler that runs because of a layer's reload may reload the layer again")
  func reloadingHandler() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let source = Manual(["level": 1])
      let upper = try Defaults.LayeredSuite(
        Defaults.Layer("site", source), .writable(Defaults.MemorySuite()))
      let calls = Log<String>()
      let lower = try Defaults.LayeredSuite(
        .environment(prefix: "", ["UNIT": "much"]), .writable(Defaults.MemorySuite()),
        onIssue: { issue in
          calls.append(issue.description)
          #expect(throws: Never.self) { try upper.refresh() }
        })
      let key = Defaults.Key<Level>("level", default: Level(value: 0), suite: upper)
      #expect(upper[key].value == 1)
      let unit = Defaults.Key<Int>("unit", default: 5, suite: Defaults.MemorySuite())
      LevelBridge.whenDecoded.withLock { $0 = { _ = lower[unit] } }
      source.set(["level": 2])
      #expect(upper[key].value == 2)
      exit(calls.count == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}

/// A suite of a third party whose entries change when it is refreshed.
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
