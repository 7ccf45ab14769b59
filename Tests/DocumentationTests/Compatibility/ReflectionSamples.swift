import Defaults
import Foundation
import TestSupport
import Testing

// The samples of the article about preferences by reflection, which only declare properties. An
// `@objc dynamic` property of an Objective-C class is a `@Stored` property of any class; the
// Observation framework or the property's key replaces Key-Value Observing.

private class WrittenByHand {
  let suite: Defaults.MemorySuite
  init(suite: Defaults.MemorySuite) { self.suite = suite }

  // The boilerplate at the beginning of the article, which can still be written.
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

  @Test("Sample: a value is wrapped by hand")
  func byHand() {
    let preferences = WrittenByHand(suite: suite)
    #expect(preferences.someValue == 0)
    preferences.someValue = 1
    #expect(suite.entries == ["someValue": 1])
  }

  @Test("Sample: properties are enumerated with their names and values")
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

  @Test("Sample: declared properties are read and stored without further code")
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

  @Test("Sample: a change of any property is notified with its name")
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
