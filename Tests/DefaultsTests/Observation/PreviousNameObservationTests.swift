import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Observers of renamed keys", .needsUserDefaults)
struct PreviousNameObservationTests {
  let domain: UserDefaultsDomain
  let suite: Defaults.UserDefaultsSuite
  let key: Defaults.Key<Int>
  let seen = Log<[Int]>()

  /// On `UserDefaults`, where an entry stays under its previous name until the key is set.
  init() throws {
    domain = try UserDefaultsDomain()
    suite = Defaults.UserDefaultsSuite(try domain.open())
    key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    suite.set(7, forKey: "old")
  }

  private func observe(
    _ options: Defaults.ObservationOptions = [.initial]
  ) -> any Defaults.Observation {
    Defaults.observe(key, options: options) { [seen] change in
      seen.append([change.oldValue, change.newValue])
    }
  }

  @Test("The old value of the first set of a renamed key is the value under the previous name")
  func set() {
    let observation = observe()
    Defaults[key] = 1
    Defaults[key] = 9
    #expect(seen.all == [[7, 7], [7, 1], [1, 9]])
    observation.invalidate()
  }

  @Test(
    "A reset of a renamed key notifies observers although no entry has the current name",
    arguments: [true, false])
  func reset(isInitial: Bool) {
    let observation = observe(isInitial ? [.initial] : [])
    key.reset()
    #expect(seen.all == (isInitial ? [[7, 7], [7, 1]] : [[7, 1]]))
    observation.invalidate()
  }

  @Test("Each event of a renamed key has the values of its own change, even if later ones follow")
  func nestedChanges() {
    let suite = Defaults.MemorySuite(["old": 1])
    let key = Defaults.Key("new", default: 0, suite: suite, .renamed(from: "old"))
    let first = suite.observe(["old"]) { _ in
      guard suite.entry(named: "old") == 2 else { return }
      suite[key] = 5
      suite[key] = 9
    }
    let second = Defaults.observe(key, options: []) { [seen] change in
      seen.append([change.oldValue, change.newValue])
    }
    suite.set(2, forKey: "old")
    #expect(seen.all == [[1, 2], [2, 5], [5, 9]])
    first.invalidate()
    second.invalidate()
  }

  @Test("An observer of a renamed key learns of a change made while the observation begins")
  func changeAtStart() {
    let suite = Defaults.MemorySuite(["new": 5])
    let isFirst = Lock(true)
    let coding = Defaults.Coding<Int>.custom(
      encode: { $0 },
      decode: { (stored: Int) in
        if isFirst.exchange(false) { suite.set(6, forKey: "new") }
        return stored
      })
    let key = Defaults.Key(
      "new", default: 1, coding: coding, suite: suite, .renamed(from: "old"))
    let observation = Defaults.observe(key, options: []) { [seen] change in
      seen.append([change.oldValue, change.newValue])
    }
    Defaults[key] = 5
    #expect(seen.all.last?.last == 5)
    #expect(Defaults[key] == 5)
    observation.invalidate()
  }

  @Test("A change under the previous name notifies observers until the renamed key is set")
  func changeOfPrevious() {
    let observation = observe()
    suite.set(8, forKey: "old")
    Defaults[key] = 9
    suite.set(10, forKey: "old")
    #expect(seen.all == [[7, 7], [7, 8], [8, 9]])
    #expect(Defaults[key] == 9)
    observation.invalidate()
  }

  @Test("Observers and streams of several keys get no event for an equal value of a renamed key")
  func severalKeys() async {
    let volume = Defaults.Key("volume", default: 5, suite: suite)
    let calls = Log<Int>()
    let observation = Defaults.observe(keys: volume, key, options: []) { calls.append(1) }
    var tuples = Defaults.updates(volume, key).makeAsyncIterator()
    Defaults[key] = 7
    #expect(calls.all.isEmpty)
    Defaults[volume] = 6
    Defaults[key] = 8
    #expect(calls.all.count == 2)
    for tuple in [(5, 7), (6, 7), (6, 8)] { #expect(await tuples.next() ?? (0, 0) == tuple) }
    observation.invalidate()
  }
}
