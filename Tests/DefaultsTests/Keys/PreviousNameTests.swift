import Defaults
import Testing

@Suite("Previous names of keys")
struct PreviousNameTests {
  func key(
    _ suite: any Defaults.Suite, _ names: [String] = ["old", "oldest"]
  ) -> Defaults.Key<Int> {
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      Defaults.Key("new", default: 1, previousNames: names, suite: suite)
    }
    return make(suite)
  }

  @Test("A read finds the entry of the latest name that has one", arguments: SuiteKind.allCases)
  func reading(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    #expect(Defaults[key] == 1)
    suite.set(2, forKey: "oldest")
    #expect((Defaults[key], suite[key]) == (2, 2))
    suite.set(3, forKey: "old")
    #expect(Defaults[key] == 3)
    #expect(try suite.value(for: key) == 3)
    #expect(!key.isDefaultValue)
    #expect(suite.contains(key))
    #expect(try suite.transaction { $0[key] } == 3)
    #expect(suite.integer(forKey: "new") == 3)
    #expect(suite.dictionaryRepresentation()["new"] == 3)
    suite.set(4, forKey: "new")
    #expect((Defaults[key], suite.integer(forKey: "new")) == (4, 4))
    #expect(Defaults.MemorySuite(["old": 5])[key] == 5)
  }

  @Test(
    "The first write moves the entry, also one of the value that it has",
    arguments: SuiteKind.allCases)
  func writing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    func names() -> Set<String> { suite.names.intersection(["new", "old", "oldest"]) }
    suite.set(2, forKey: "oldest")
    Defaults[key] = 2
    #expect(suite.entry(named: "new") == 2)
    #expect(names() == ["new"])
    suite.removeObject(forKey: "new")
    suite.set(3, forKey: "old")
    Defaults.update(key) { $0 += 1 }
    #expect(Defaults[key] == 4)
    #expect(names() == ["new"])
    let resets: [() throws -> Void] = [
      { key.reset() }, { Defaults.reset(key) }, { suite.reset(key) },
      { try suite.transaction { $0.reset(key) } },
    ]
    for reset in resets {
      suite.set(5, forKey: "old")
      suite.set(6, forKey: "new")
      try reset()
      #expect(names() == [])
      #expect(Defaults[key] == 1)
    }
    suite.set(7, forKey: "old")
    #expect(try suite.setValues((key, 8), skippingPresent: true) == [])
    #expect(Defaults[key] == 7)
  }

  @Test("Entries are moved at once when that is asked for, whatever they hold")
  func renaming() throws {
    let suite = Defaults.MemorySuite(["old": "text", "oldest": 1, "b": 2, "was b": 3])
    let key = key(suite)
    let other = Defaults.Key("b", default: 0, previousNames: ["was b"], suite: suite)
    #expect(try suite.renameEntries(of: key, other) == ["new"])
    #expect(suite.entries == ["new": "text", "b": 2])
    #expect(try suite.renameEntries(of: key, other) == [])
  }

  @Test("Equal keys are one setting, also if only one knows the previous name")
  func equalKeys() {
    let suite = Defaults.MemorySuite(["old": 2])
    let plain = Defaults.Key("new", default: 1, suite: suite)
    #expect(Defaults[plain] == 1)
    let renamed = key(suite)
    #expect(plain == renamed)
    #expect((Defaults[plain], Defaults[renamed]) == (2, 2))
    suite.set(3, forKey: "old")
    #expect((Defaults[plain], Defaults[renamed]) == (3, 3))
    Defaults[plain] = 4
    #expect(suite.entries == ["new": 4])
  }

  @Test(
    "An observer hears of the old name while that counts, and not of the move",
    arguments: SuiteKind.allCases)
  func observing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    suite.set(2, forKey: "old")
    let key = key(suite)
    let all = Log<[Int]>()
    let later = Log<[Int]>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(key) { all.append([$0.oldValue, $0.newValue]) },
      Defaults.observe(key, options: [.prior]) {
        later.append([$0.oldValue, $0.newValue, $0.isPrior ? 1 : 0])
      },
    ]
    suite.set(3, forKey: "old")
    Defaults[key] = 3
    suite.set(9, forKey: "old")
    suite.set(3, forKey: "new")
    Defaults[key] = 4
    key.reset()
    #expect(all.all == [[2, 2], [2, 3], [3, 4], [4, 1]])
    #expect(later.all == [[2, 3, 1], [2, 3, 0], [3, 4, 1], [3, 4, 0], [4, 1, 1], [4, 1, 0]])
    for observation in observations { observation.invalidate() }
  }

  @Test("Streams of several keys follow the old name")
  func streams() async {
    let suite = Defaults.MemorySuite(["old": 2])
    let key = key(suite)
    let other = Defaults.Key("b", default: "", suite: suite)
    var stream = Defaults.updates(key, other).makeAsyncIterator()
    suite.set(3, forKey: "old")
    Defaults[other] = "x"
    Defaults[key] = 4
    var seen: [Int] = []
    while seen.last != 4, let (number, _) = await stream.next() { seen.append(number) }
    #expect(seen == [2, 3, 3, 4])
  }

  @Test("Another program's change of the old name is seen")
  func external() async throws {
    let rows = RowStore()
    rows.change { $0["old"] = 2 }
    let suite = try Defaults.StoredSuite(rows)
    let key = key(suite)
    #expect(Defaults[key] == 2)
    var updates = Defaults.updates(key, initial: false).makeAsyncIterator()
    rows.change { $0["old"] = 3 }
    #expect(await updates.next() == 3)
    #expect(Defaults[key] == 3)
  }

  @Test("Keys of the standard suite keep their previous names in a scope")
  func scopes() {
    let suite = Defaults.MemorySuite(["scope.was": 5])
    Defaults.withSuite(suite) {
      let key = Defaults.Key("scope.is", default: 1, previousNames: ["scope.was"])
      #expect(Defaults[key] == 5)
      #expect(suite.integer(forKey: "scope.is") == 5)
      Defaults[key] += 1
    }
    #expect(suite.entries == ["scope.is": 6])
  }
}
