import Defaults
import DefaultsText
import Foundation
import Testing

@Suite("Texts of keys")
struct KeyTextTests {
  @Test("A setting without an earlier entry shows its default, except one that is generated once")
  func noEntry() {
    let suite = Defaults.MemorySuite()
    let id = Defaults.Key("id", suite: suite, .generatedOnce) { UUID() }
    #expect(id.text(showing: nil) == nil)
    #expect(Defaults.Key("volume", default: 5, suite: suite).text(showing: nil) == "5")
  }

  @Test("The accepted values of a list include the rule for each element, in a whole sentence")
  func elements() {
    let tags = Defaults.Key("tags", default: ["a"], .each(.matching("[a-z]+")))
    #expect(tags.acceptedValues == "comma-separated words, each of which matches [a-z]+")
  }
}
