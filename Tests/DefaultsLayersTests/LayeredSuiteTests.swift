import Defaults
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Layered suites", .prompt)
struct LayeredSuiteTests {
  let user = Defaults.MemorySuite(["volume": 5], label: "the user's")
  let issues = IssueLog()

  private func suite(_ layers: Defaults.Layer...) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(layers, onIssue: { [issues] in issues.append($0) })
  }

  private func volume(in suite: some Defaults.Suite) -> Defaults.Key<Int> {
    Defaults.Key("volume", default: 3, suite: suite, .in(0...11))
  }

  // MARK: - Which one counts

  @Test("The value of a setting comes from the first layer that has the setting")
  func order() throws {
    let layers: [(Defaults.Layer, Int)] = [
      (.managed(at: URL(filePath: "/nonexistent")), 0), (.arguments(["--volume=6"]), 6),
      (.environment(prefix: "APP_", ["APP_VOLUME": "7"]), 7), (.writable(user), 5),
      (.values(["volume": 8], name: "site"), 8), (.values(["volume": 9]), 9),
    ]
    for index in layers.indices where index > 0 {
      // The following layers, and a writable one at the end if it was left out.
      let rest = layers[index...].map(\.0) + (index > 3 ? [.writable(Defaults.MemorySuite())] : [])
      let suite = try Defaults.LayeredSuite(rest)
      #expect(suite[volume(in: suite)] == layers[index].1)
    }
  }

  @Test("If no layer has a setting, the registered default is used, then the key's own default")
  func defaults() throws {
    let suite = try suite(.writable(Defaults.MemorySuite()), .values(["other": 1]))
    let key = volume(in: suite)
    #expect(suite[key] == 3)
    suite.register(defaults: ["volume": 4])
    #expect(suite[key] == 4)
    #expect(suite.inspect(key).map(\.counts) == [false, false, true, false])
  }

  @Test("An invalid value in a layer is reported with its location, and the next layer is used")
  func invalid() throws {
    let suite = try suite(
      .arguments(["--volume", "loud"]), .environment(prefix: "APP_", ["APP_VOLUME": "99"]),
      .values(["volume": "much"], name: "policy"), .writable(user))
    #expect(suite[volume(in: suite)] == 5)
    #expect(issues.codes == [.invalid, .invalid, .undecodable])
    let texts = issues.all.map(\.description)
    #expect(texts[0].contains("argument 1") && texts[0].contains("loud"))
    #expect(texts[1].contains("APP_VOLUME") && texts[1].contains("99"))
    #expect(texts[1].contains("0 to 11") && texts[1].contains("next layer"))
    #expect(texts[2].contains("built-in values") && texts[2].contains("volume"))
  }

  @Test("An invalid value in the writable layer stays stored, and the layer below is used")
  func invalidOfUser() throws {
    user.set("loud", forKey: "volume")
    let suite = try suite(.writable(user), .values(["volume": 8]))
    let key = volume(in: suite)
    #expect(suite[key] == 8)
    #expect(user.entry(named: "volume") == "loud")
    #expect(suite.inspect(key)[0].error?.code == .undecodable)
    #expect(issues.codes == [.undecodable])
    let issue = try #require(issues.all.first).description
    #expect(issue.contains("the user's") && issue.contains("the next layer is used"))
    // Without a layer below it stays visible and is reported as in every suite.
    let alone = try self.suite(.writable(user))
    #expect(alone[volume(in: alone)] == 3)
    #expect(alone.entry(named: "volume") == "loud")
    #expect(issues.codes == [.undecodable, .undecodable])
  }

  @Test("An invalid value in the writable layer that no other layer replaces is one issue")
  func invalidWithoutNext() throws {
    user.set("loud", forKey: "volume")
    let suite = try suite(.writable(user), .values(["other": 1]))
    #expect(suite[volume(in: suite)] == 3)
    #expect(issues.codes == [.undecodable])
  }

  @Test("A key of another suite works in a suite of layers")
  func foreignKey() throws {
    let key = Defaults.Key<Int>("volume", default: 3, suite: Defaults.MemorySuite())
    let suite = try suite(.environment(prefix: "", ["VOLUME": "7"]), .writable(user))
    #expect(suite[key] == 7)
    #expect(suite.entry(named: "volume") == 7)
  }

  @Test("The library's own entries in a read-only layer are ignored")
  func reserved() throws {
    let name = "Defaults.version"
    let suite = try suite(.writable(user), .values([name: 9, "volume": 1]))
    #expect(suite.entry(named: name) == nil)
  }

  // MARK: - Writing

  @Test("A set is stored in the writable layer and the next read returns it")
  func set() throws {
    let suite = try suite(.values(["theme": "dark"]), .writable(user), .values(["volume": 8]))
    let key = volume(in: suite)
    suite[key] = 9
    #expect(suite[key] == 9)
    #expect(user.entry(named: "volume") == 9)
    key.reset()
    #expect(suite[key] == 8)
    #expect(user.entry(named: "volume") == nil)
  }

  @Test("If a setting is overridden, isShadowed is true, and a set is stored without effect")
  func shadowed() throws {
    let suite = try suite(.arguments(["--volume=7"]), .writable(user))
    let key = volume(in: suite)
    let other = Defaults.Key<Int>("other", default: 0, suite: suite)
    #expect(key.isShadowed && !key.isManaged && !other.isShadowed)
    try suite.set(9, for: key)
    #expect(suite[key] == 7)
    #expect(user.entry(named: "volume") == 9)
    // Equal to the current value: the user sets it explicitly.
    try suite.set(7, for: key)
    #expect(user.entry(named: "volume") == 7)
  }

  @Test("A set to the value of a lower layer is stored in the writable layer")
  func pinned() throws {
    let suite = try suite(.writable(Defaults.MemorySuite()), .values(["volume": 8]))
    let key = volume(in: suite)
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    suite[key] = 8
    #expect(suite.inspect(key).first?.entry == 8)
    #expect(events.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test("A managed setting can't be set in any way and can be reset")
  func managed() throws {
    let forced = Defaults.Layer("policy", Policy(entries: ["volume": 2]), isManaged: true)
    let suite = try suite(forced, .writable(user))
    let key = volume(in: suite)
    let other = Defaults.Key<Int>("other", default: 0, suite: suite)
    #expect(key.isManaged && key.isShadowed && !other.isManaged)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(9, for: key) }
    #expect(error?.code == .managed)
    #expect(error?.description.contains("Policy") == true)
    #expect(throws: Defaults.SuiteError.self) { try suite.update(key) { $0 += 1 } }
    #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in
        draft[other] = 1
        try draft.set(1, for: key)
      }
    }
    #expect(issues.count == 0)
    suite[key] = 9
    suite.set(9, forKey: "volume")
    #expect(issues.codes.allSatisfy { $0 == .managed } && issues.count >= 1)
    #expect(suite[key] == 2 && suite[other] == 0)
    #expect(user.entry(named: "volume") == 5)
    key.reset()
    #expect(user.entry(named: "volume") == nil)
    #expect(suite[key] == 2)
  }

  @Test("A transaction reads the values of all layers; a value that it sets overrides lower layers")
  func transaction() throws {
    let suite = try suite(
      .values(["theme": "dark"]), .writable(user), .values(["volume": 8, "speed": 1]))
    let volume = volume(in: suite)
    let theme = Defaults.Key<String>("theme", default: "light", suite: suite)
    let speed = Defaults.Key<Int>("speed", default: 0, suite: suite)
    try suite.transaction { draft in
      #expect(draft[volume] == 5 && draft[theme] == "dark" && draft[speed] == 1)
      draft[speed] += 1
      draft[theme] = "light"
      draft.reset(volume)
      #expect(draft[speed] == 2)
      // The higher layer is still used, and the lower one appears.
      #expect(draft[theme] == "dark" && draft[volume] == 8)
      #expect(draft.names == ["volume", "theme", "speed"])
    }
    #expect(suite[speed] == 2 && suite[theme] == "dark" && suite[volume] == 8)
    #expect(user.entries == ["theme": "light", "speed": 2])
  }

  @Test("Removing all entries keeps the entries of other layers")
  func removeAll() throws {
    let suite = try suite(.writable(user), .values(["site": 1]))
    suite.removeAll()
    #expect(suite.entries == ["site": 1])
    #expect(user.entries.isEmpty)
  }

  @Test("A direct change of the writable suite is visible and observed in the layered suite")
  func changeOfBase() throws {
    let suite = try suite(.values(["theme": "dark"]), .writable(user))
    let key = volume(in: suite)
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    user.set(6, forKey: "volume")
    #expect(suite[key] == 6)
    user.set("light", forKey: "theme")
    #expect(events.count == 1)
    #expect(events.last?.entries["volume"] == .init(old: 5, new: 6))
    #expect(events.last?.layer == "user")
    withExtendedLifetime(observation) {}
  }

  @Test("A write to the writable suite in a transaction of the layers traps with a message")
  func baseInTransaction() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let user = Defaults.MemorySuite(label: "the user's")
      let suite = try Defaults.LayeredSuite(.writable(user))
      try suite.transaction { _ in user.set(1, forKey: "a") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("inside of its own transaction"))
  }

  @Test("A suite with no or two writable layers traps with a message", arguments: [0, 2])
  func writableLayers(count: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [count] in
      _ = try Defaults.LayeredSuite(
        Array(repeating: .writable(Defaults.MemorySuite()), count: count))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("exactly one writable layer, not \(count)"))
  }

  @Test(
    "An event of a layered suite has the writer's origin; withoutPropagation suppresses the event")
  func marks() throws {
    let suite = try suite(.writable(user))
    let key = volume(in: suite)
    let events = Log<String?>()
    let observation = suite.observe(nil) { events.append($0.origin) }
    Defaults.withOrigin("me") { suite[key] = 1 }
    Defaults.withoutPropagation { suite[key] = 2 }
    Defaults.withOrigin("you") { user.set(3, forKey: "volume") }
    #expect(events.all == ["me", "you"])
    #expect(suite[key] == 3)
    withExtendedLifetime(observation) {}
  }

  @Test("A suite of layers is released with its last reference, despite keys and sources")
  func lifetime() throws {
    weak var storage: Defaults.StoredSuite?
    let source = Manual()
    do {
      let suite = try suite(Defaults.Layer("manual", source), .writable(user))
      let key = volume(in: suite)
      suite[key] = 2
      storage = suite.storage
      #expect(storage != nil)
    }
    #expect(storage == nil)
    #expect(source.isWatched == false)
    user.set(1, forKey: "volume")
  }
}
