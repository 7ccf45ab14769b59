import Defaults
import TestSupport
import Testing

@Suite("Events for invalid entries")
struct InvalidEntryTests {
  let issues = IssueLog()
  let suite: Defaults.MemorySuite
  let volume: Defaults.Key<Int>

  init() {
    let issues = issues
    suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
    volume = Defaults.Key("volume", default: 5, suite: suite)
  }

  /// The events of an observer as text, with the old value, the new value and the problem.
  private func events(
    invalid response: Defaults.UndecodableEntryPolicy = .useDefault,
    options: Defaults.ObservationOptions = [.initial], _ body: () -> Void
  ) -> [String] {
    let seen = Log<String>()
    let observation = Defaults.observe(volume, options: options, invalid: response) { change in
      let problem = change.error.map { " \($0.code.rawValue) \($0.key ?? "")" } ?? ""
      seen.append("\(change)\(problem)")
    }
    body()
    observation.invalidate()
    return seen.all
  }

  @Test("The event of an invalid entry has the default and the problem")
  func problem() {
    suite[volume] = 8
    let events = events {
      suite.set("loud", forKey: "volume")
      suite[volume] = 7
    }
    #expect(events == ["8", "8 -> 5 undecodable volume", "5 -> 7"])
    #expect(issues.codes == [.undecodable])
  }

  @Test("An observer gets an entry's problem once, and again only if it recurs")
  func once() {
    let events = events {
      suite.set("loud", forKey: "volume")
      suite.set("louder", forKey: "volume")
      suite[volume] = 6
      suite.set("loud", forKey: "volume")
    }
    // With the first problem the value stays 5, but the problem is an event.
    #expect(
      events == [
        "5", "5 -> 5 undecodable volume", "5 -> 6", "6 -> 5 undecodable volume",
      ])
  }

  @Test("An observer gets an event when a problem ends, though the value stays the same")
  func over() {
    let events = events {
      suite.set("loud", forKey: "volume")
      suite[volume] = 5
      suite.set("loud", forKey: "volume")
      suite.reset(volume)
    }
    #expect(
      events == [
        "5", "5 -> 5 undecodable volume", "5 -> 5", "5 -> 5 undecodable volume", "5 -> 5",
      ])
  }

  @Test("With .skip, the last valid value stays and is the old value of the next change")
  func skip() {
    suite[volume] = 8
    let events = events(invalid: .skip) {
      suite.set("loud", forKey: "volume")
      suite.set("louder", forKey: "volume")
      suite[volume] = 8
      suite.set("loud", forKey: "volume")
      suite[volume] = 9
      suite.reset(volume)
    }
    #expect(events == ["8", "8 -> 9", "9 -> 5"])
  }

  @Test("With .skip, an observer that begins with an invalid entry gets the default first")
  func skipAtFirst() {
    suite.set("loud", forKey: "volume")
    let events = events(invalid: .skip) { suite[volume] = 9 }
    #expect(events == ["5 undecodable volume", "5 -> 9"])
    #expect(
      self.events(invalid: .skip, options: []) {
        suite.set("loud", forKey: "volume")
        suite[volume] = 7
      } == ["9 -> 7"])
  }

  @Test("With .skip and .prior, a change is announced and an invalid entry isn't")
  func skipWithPrior() {
    let seen = Log<[Int]>()
    let observation = Defaults.observe(volume, options: [.prior], invalid: .skip) { change in
      seen.append([change.oldValue, change.newValue, change.isPrior ? 1 : 0])
    }
    suite[volume] = 6
    suite.set("loud", forKey: "volume")
    suite[volume] = 7
    #expect(seen.all == [[5, 6, 1], [5, 6, 0], [6, 7, 1], [6, 7, 0]])
    observation.invalidate()
  }

  @Test("An event has different old and new values unless an error begins or ends")
  func equalValues() {
    let events = events {
      suite[volume] = 5  // the default, stored
      suite.set(5.0, forKey: "volume")  // another entry of the same value
      suite.reset(volume)
      suite[volume] = 6
    }
    #expect(events == ["5", "5 -> 6"])
  }

  @Test("Values without == are equal if their stored forms are")
  func equalEncodings() {
    struct Point: Codable, Defaults.Serializable, Sendable { var x = 1 }
    let key = Defaults.Key("point", default: Point(), suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue.x) }
    suite[key] = Point(x: 1)
    suite[key] = Point(x: 2)
    suite.reset(key)
    #expect(seen.all == [2, 1])
    observation.invalidate()
  }

  @Test("A stream gives the default for an invalid entry, or nothing with .skip")
  func updates() async {
    let keepsGood = Defaults.updates(volume, invalid: .skip)
    let takesDefault = Defaults.updates(volume)
    for entry: Defaults.PropertyListValue in ["loud", 8, "loud", "louder", 8, 9] {
      suite.write(.set(entry), named: "volume")
    }
    var seen: [Int] = []
    for await value in keepsGood {
      seen.append(value)
      if value == 9 { break }
    }
    #expect(seen == [5, 8, 9])
    seen = []
    for await value in takesDefault {
      seen.append(value)
      if value == 9 { break }
    }
    #expect(seen == [5, 8, 5, 8, 9])
  }
}
