import Defaults
import DefaultsHistory
import Foundation
import TestSupport
import Testing

@Suite("The history of a generated value")
struct GeneratedValueTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A value that is generated once is one change in the history, from no entry to the value")
  func first() throws {
    let suite = try Defaults.PropertyListSuite(url: folder.url("app.plist"))
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { UUID() }
    let id = suite[key]
    _ = suite[key]
    let history = try suite.history(of: key)
    #expect(history.map(\.newValue) == [id])
    #expect(history.first?.change.old == nil && history.first?.change.new != nil)
    // There was no value before the first one.
    #expect(history.first?.oldValue == id)
    // It isn't generated again by a second opening.
    #expect(try Defaults.PropertyListSuite(url: folder.url("app.plist"))[key] == id)
  }
}
