import TestSupport
import Testing

@testable import Defaults

@Suite("Changes without propagation")
struct SilentChangeTests {
  let suite = Defaults.MemorySuite()

  @Test("A stream of several keys includes withoutPropagation changes in its next element")
  func streams() async {
    let a = Defaults.Key("a", default: 0, suite: suite)
    let b = Defaults.Key("b", default: 0, suite: suite)
    var stream = Defaults.updates(a, b).makeAsyncIterator()
    Defaults.withoutPropagation { Defaults[a] = 5 }
    Defaults[b] = 1
    Defaults[b] = 2
    var seen: [[Int]] = []
    while seen.last?.last != 2, let (a, b) = await stream.next() { seen.append([a, b]) }
    #expect(seen == [[0, 0], [5, 1], [5, 2]])
  }

  @Test(
    "The old value of an observed change includes earlier withoutPropagation changes",
    arguments: ["plain", "renamed", "generated once"],
    [Defaults.UndecodableEntryPolicy.useDefault, .skip])
  func oldValues(kind: String, response: Defaults.UndecodableEntryPolicy) {
    let key =
      switch kind {
      case "renamed": Defaults.Key("new", default: 0, suite: suite, .renamed(from: "old"))
      case "generated once": Defaults.Key("new", default: 0, suite: suite, .generatedOnce)
      default: Defaults.Key("new", default: 0, suite: suite)
      }
    Defaults[key] = 0
    let seen = Log<[Int]>()
    let calls = Log<Int>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(key, options: [], invalid: response) {
        seen.append([$0.oldValue, $0.newValue])
      },
      Defaults.observe(keys: key, options: []) { calls.append(suite[key]) },
    ]
    Defaults[key] = 1
    Defaults.withoutPropagation { Defaults[key] = 2 }
    Defaults[key] = 1
    Defaults[key] = 3
    #expect(seen.all == [[0, 1], [2, 1], [1, 3]])
    #expect(calls.all == [1, 1, 3])
    for observation in observations { observation.invalidate() }
  }

  @Test("After a silent change to an invalid entry, the old value with .skip is the last valid one")
  func silentInvalidEntry() {
    let key = Defaults.Key("new", default: 0, suite: suite)
    Defaults[key] = 5
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: [], invalid: .skip) {
      seen.append([$0.oldValue, $0.newValue])
    }
    Defaults.withoutPropagation { suite.set("loud", forKey: "new") }
    Defaults[key] = 7
    #expect(seen.all == [[5, 7]])
    observation.invalidate()
  }

  @Test("Observers get external changes, also if a write in withoutPropagation merges them")
  func external() throws {
    let twins = try TwinSuites()
    let (writer, reader) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    let heard = Log<Defaults.PropertyListValue>()
    let observation = reader.observe(["x", "y", "z"], options: []) { change in
      for (_, entry) in change.entries { if let new = entry.new { heard.append(new) } }
      if change.source == .external { reader.set("by the handler", forKey: "z") }
    }
    writer.set("by another process", forKey: "y")
    Defaults.withoutPropagation { reader.set("silent", forKey: "x") }
    #expect(heard.all == ["by another process", "by the handler"])
    #expect(
      reader.entries == ["x": "silent", "y": "by another process", "z": "by the handler"])
    observation.invalidate()
  }

  @Test(
    "An observation that begins in withoutPropagation gets a first event and may change settings")
  func handlers() {
    let key = Defaults.Key("a", default: 1, suite: suite)
    let other = Defaults.Key("b", default: 0, suite: suite)
    let heard = Log<Int>()
    let observations: [any Defaults.Observation] = Defaults.withoutPropagation {
      [
        Defaults.observe(other, options: []) { heard.append($0.newValue) },
        Defaults.observe(key) { Defaults[other] = $0.newValue },
      ]
    }
    #expect(heard.all == [1])
    for observation in observations { observation.invalidate() }
  }
}
