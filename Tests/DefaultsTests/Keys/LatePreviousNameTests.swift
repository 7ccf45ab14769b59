import Defaults
import Foundation
import Observation
import Testing

private struct Plain: Defaults.Schema {
  @Stored var volume = 1
}

private struct Renamed: Defaults.Schema {
  @Stored(previousNames: ["old"]) var volume = 1
}

/// Keys are made when they are used first, so the one that declares the names may be the last.
@Suite("Previous names that become known late")
struct LatePreviousNameTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plain(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
    Defaults.Key("volume", default: 1, suite: suite)
  }

  private func renamed(
    _ suite: some Defaults.Suite, _ names: [String] = ["old"]
  ) -> Defaults.Key<Int> {
    Defaults.Key("volume", default: 1, previousNames: names, suite: suite)
  }

  @Test(
    "An observer hears of a name that an equal key brought along later",
    arguments: SuiteKind.allCases.filter { $0 != .userDefaults })
  func observing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    func check(_ suite: some Defaults.Suite) {
      let key = plain(suite)
      let all = Log<[Int]>()
      let prior = Log<[Int]>()
      let observations: [any Defaults.Observation] = [
        Defaults.observe(key) { all.append([$0.oldValue, $0.newValue]) },
        Defaults.observe(key, options: [.prior]) {
          prior.append([$0.oldValue, $0.newValue, $0.isPrior ? 1 : 0])
        },
      ]
      _ = renamed(suite)
      suite.set(7, forKey: "old")
      _ = renamed(suite, ["oldest"])
      suite.set(8, forKey: "oldest")
      suite.set(9, forKey: "old")
      suite.removeObject(forKey: "old")
      Defaults[key] = 8
      Defaults[key] = 5
      #expect(all.all == [[1, 1], [1, 7], [7, 9], [9, 8], [8, 5]])
      #expect(prior.all.count == 8)
      #expect(prior.all.first == [1, 7, 1])
      for observation in observations { observation.invalidate() }
      suite.set(10, forKey: "old")
      Defaults[key] = 11
      #expect(all.count == 5)
    }
    check(sample.suite)
  }

  @Test("What was there under the name when that became known is the old value")
  func present() throws {
    let suite = Defaults.MemorySuite(["old": 7])
    let key = plain(suite)
    let seen = Log<[Int]>()
    let names = Log<Set<String>>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(key, options: []) { seen.append([$0.oldValue, $0.newValue]) },
      suite.observe(["volume"], options: []) { names.append($0.names) },
    ]
    _ = renamed(suite)
    #expect(Defaults[key] == 7)
    suite.set(8, forKey: "old")
    Defaults.withoutPropagation { suite.set(9, forKey: "old") }
    try suite.transaction {
      $0.write(2, "other")
      $0.write(10, "old")
    }
    #expect(seen.all == [[7, 8], [9, 10]])
    Defaults[key] = 10
    #expect(seen.count == 2)
    #expect(names.all == [["volume"]])
    for observation in observations { observation.invalidate() }
  }

  @Test("Observers of several keys hear of it, and not of its becoming known")
  func several() async {
    let suite = Defaults.MemorySuite()
    let key = plain(suite)
    let other = Defaults.Key("other", default: "", suite: suite)
    let calls = Log<Bool>()
    let observation = Defaults.observe(keys: key, other) { calls.append(true) }
    var stream = Defaults.updates(key, other).makeAsyncIterator()
    let renamed = renamed(suite)
    #expect(key == renamed)
    Defaults[other] = "x"
    #expect(calls.count == 2)
    suite.set(7, forKey: "old")
    #expect(calls.count == 3)
    Defaults[key] = 8
    var seen: [Int] = []
    while seen.last != 8, let (number, _) = await stream.next() { seen.append(number) }
    #expect(seen == [1, 1, 7, 8])
    observation.invalidate()
  }

  @Test("A property is tracked under its previous names, whichever property was read first")
  func tracking() {
    let suite = Defaults.MemorySuite()
    let log = Log<Int>()
    func track(_ volume: () -> Int) {
      withObservationTracking {
        log.append(volume())
      } onChange: {
        log.append(0)
      }
    }
    let plain = Plain(suite: suite)
    track { plain.volume }
    let renamed = Renamed(suite: suite)
    #expect(renamed.volume == 1)
    suite.set(7, forKey: "old")
    track { renamed.volume }
    suite.set(8, forKey: "old")
    #expect(log.all == [1, 0, 7, 0])
    #expect(plain.volume == 8)
  }

  @Test("A key that was made in a scope tells the program's suite, open or opened later")
  func scope() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      func make(_ name: String) {
        Defaults.withSuite(Defaults.MemorySuite()) {
          _ = Defaults.Key(name, default: 1, previousNames: ["was." + name])
        }
      }
      make("early")
      for name in ["early", "late"] {
        let key = Defaults.Key(name, default: 1)
        #expect(Defaults[key] == 1)
        if name == "late" { make(name) }
        Defaults.PropertyListSuite.standard.set(7, forKey: "was." + name)
        #expect(Defaults[key] == 7)
        Defaults.PropertyListSuite.standard.set(8, forKey: "was." + name)
        #expect(Defaults[key] == 8)
      }
    }
  }
}

extension Defaults.Draft {
  fileprivate mutating func write(_ value: Int, _ name: String) {
    try? setEntry(.integer(Int64(value)), named: name)
  }
}
