import Defaults
import Foundation
import Testing

// The samples of the article about preferences by reflection: declare the properties, and nothing
// else. What was `@objc dynamic` of a class that Objective-C knows is `@Stored` of any class; what
// Key-Value Observing told is told by the Observation framework, or by the property's key.

private class WrittenByHand {
  let suite: Defaults.MemorySuite
  init(suite: Defaults.MemorySuite) { self.suite = suite }

  // The boilerplate that the article begins with, which can still be written.
  var someValue: Int {
    get { suite.integer(forKey: "someValue") }
    set { suite.set(newValue, forKey: "someValue") }
  }
}

private class Preferences: Defaults.Settings {
  @Stored var someIntegerValue: Int = 0
  @Stored var someOtherValue: Int = 42
  @Stored var someStringValue: String = ""
  @Stored var someOptionalArrayValue: [Defaults.PropertyListValue]?
  // That's it. You don't have to write anything more.
}

@Suite("Samples of preferences by reflection")
struct ReflectionSamples {
  let suite = Defaults.MemorySuite()

  @Test("Wrapping a value by hand")
  func byHand() {
    let preferences = WrittenByHand(suite: suite)
    #expect(preferences.someValue == 0)
    preferences.someValue = 1
    #expect(suite.entries == ["someValue": 1])
  }

  @Test("Enumerating each property, with its name and actual value")
  func enumeration() {
    let p = Preferences(suite: suite)
    p.someIntegerValue = 1
    var lines: [String] = []
    for c in p.storedProperties {
      lines.append("\(c.property) => \(c.value)")
    }
    #expect(
      lines == [
        "someIntegerValue => 1", "someOtherValue => 42", "someStringValue => ",
        "someOptionalArrayValue => nil",
      ])
  }

  @Test("Declaring properties is enough to read and to store them")
  func declaration() {
    let p = Preferences(suite: suite)
    p.someIntegerValue = 7
    p.someStringValue = "text"
    p.someOptionalArrayValue = [1, "two"]
    #expect(
      suite.entries == [
        "someIntegerValue": 7, "someStringValue": "text", "someOptionalArrayValue": [1, "two"],
      ])
    let later = Preferences(suite: suite)
    #expect(later.someIntegerValue == 7)
    #expect(later.someOptionalArrayValue == [1, "two"])
  }

  @Test("Being notified of any change, with the name, and without a switch over names")
  func notification() {
    let p = Preferences(suite: suite)
    let names = Log<[String]>()
    let observation = suite.observe(Set(p.keys.map(\.name))) { names.append($0.names.sorted()) }
    p.someOtherValue = 43
    p.someStringValue = "x"
    #expect(names.all == [["someOtherValue"], ["someStringValue"]])
    observation.invalidate()
  }
}
