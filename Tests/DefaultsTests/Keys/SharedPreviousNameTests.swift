import Defaults
import Testing

@Suite("Previous names that several keys have")
struct SharedPreviousNameTests {
  private func key(
    _ name: String, _ names: [String], _ suite: any Defaults.Suite
  ) -> Defaults.Key<Int> {
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      Defaults.Key(name, default: 1, previousNames: names, suite: suite)
    }
    return make(suite)
  }

  @Test("Writing or resetting one of two settings leaves the other", arguments: SuiteKind.allCases)
  func shared(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let music = key("music", ["volume"], suite)
    let effects = key("effects", ["volume"], suite)
    let changes: [(value: Int, () throws -> Void)] = [
      (3, { Defaults[music] = 3 }), (10, { Defaults.update(music) { $0 += 1 } }),
      (1, { music.reset() }), (1, { Defaults.reset(music) }), (1, { suite.reset(music) }),
      (1, { try suite.transaction { $0.reset(music) } }),
      (9, { _ = try suite.renameEntries(of: music) }),
    ]
    for (value, change) in changes {
      Defaults.reset(music, effects)
      suite.set(9, forKey: "volume")
      #expect((Defaults[music], Defaults[effects]) == (9, 9))
      try change()
      #expect((Defaults[music], Defaults[effects]) == (value, 9))
      #expect(suite.entry(named: "effects") == 9)
      #expect(suite.entry(named: "volume") == nil)
    }
  }

  @Test("Of several previous names the other setting keeps the entry that counts for it")
  func order() {
    for names in [["x", "y"], ["y", "x"]] {
      let suite = Defaults.MemorySuite(["x": 2, "y": 3])
      let a = key("a", ["x", "y"], suite)
      let b = key("b", names, suite)
      let c = key("c", ["y"], suite)
      let value = Defaults[b]
      Defaults[a] = 5
      #expect((Defaults[a], Defaults[b], Defaults[c]) == (5, value, 3))
      #expect(suite.names == ["a", "b", "c"])
    }
  }

  @Test("One that has an entry of its own keeps that")
  func own() {
    let suite = Defaults.MemorySuite(["volume": 9, "effects": 4])
    let effects = key("effects", ["volume"], suite)
    Defaults[key("music", ["volume"], suite)] = 3
    #expect(Defaults[effects] == 4)
    #expect(suite.entries == ["music": 3, "effects": 4])
  }

  @Test("An entry stays whose name another key has now", arguments: SuiteKind.allCases)
  func present(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let a = key("a", ["b"], suite)
    let b = key("b", ["a"], suite)
    Defaults[b] = 7
    #expect(Defaults[a] == 7)
    Defaults[a] = 3
    #expect((Defaults[a], Defaults[b]) == (3, 7))
    Defaults[b] = 8
    #expect((Defaults[a], Defaults[b]) == (3, 8))
    try suite.renameEntries(of: a, b)
    #expect((Defaults[a], Defaults[b]) == (3, 8))
    a.reset()
    #expect(suite.entry(named: "b") == 8)
    Defaults.reset(a, b)
    #expect((Defaults[a], Defaults[b]) == (1, 1))
  }

  @Test("A key without previous names keeps its entry, too")
  func plain() {
    let suite = Defaults.MemorySuite(["b": 7])
    let b = Defaults.Key<Int?>("b", suite: suite)
    Defaults[key("a", ["b"], suite)] = 3
    #expect(Defaults[b] == 7)
    #expect(suite.entries == ["a": 3, "b": 7])
  }

  @Test("Observers of the other setting aren't told, since its value is the same")
  func observing() {
    let suite = Defaults.MemorySuite(["volume": 9])
    let music = key("music", ["volume"], suite)
    let effects = key("effects", ["volume"], suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(effects, options: []) {
      seen.append([$0.oldValue, $0.newValue])
    }
    Defaults[music] = 3
    Defaults[effects] = 4
    #expect(seen.all == [[9, 4]])
    observation.invalidate()
  }

  @Test("In a scope keys of the program's suite share them, too")
  func scope() {
    let suite = Defaults.MemorySuite(["shared.volume": 9])
    Defaults.withSuite(suite) {
      let music = Defaults.Key("shared.music", default: 1, previousNames: ["shared.volume"])
      let effects = Defaults.Key("shared.effects", default: 1, previousNames: ["shared.volume"])
      Defaults[music] = 3
      #expect((Defaults[music], Defaults[effects]) == (3, 9))
    }
    #expect(suite.entries == ["shared.music": 3, "shared.effects": 9])
  }

  @Test("A key that names itself as a previous one keeps what it writes")
  func itself() {
    let suite = Defaults.MemorySuite()
    let key = key("a", ["a"], suite)
    Defaults[key] = 3
    #expect(Defaults[key] == 3)
    #expect(suite.entries == ["a": 3])
  }
}
