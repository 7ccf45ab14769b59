import Defaults
import DefaultsTesting
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let volume = Key<Int>("trait.volume", default: 5)
}

@Suite("Test trait for a standard suite per test", .defaults)
struct SuiteScopeTraitTests {
  @Test(
    "With the trait .defaults, each case of a test begins with default values", arguments: 1...20)
  func cases(number: Int) async {
    #expect(Defaults[.volume] == 5)
    Defaults[.volume] = number
    await Task.yield()
    #expect(Defaults[.volume] == number)
    await Task { #expect(Defaults[.volume] == number) }.value
    #expect(Defaults.PropertyListSuite.standard.url == nil)
    #expect(
      Defaults.PropertyListSuite.standard.entries == ["trait.volume": .integer(Int64(number))])
  }

  @Test(
    "With .defaults(_:), a test has the suite that the trait creates",
    .defaults(Defaults.MemorySuite(["trait.volume": 11])))
  func ownSuite() {
    #expect(Defaults[.volume] == 11)
  }

  @Test("In a scope with a suite in a file, PropertyListSuite.standard has the file's URL")
  func file() throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) {
      let file = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
      try Defaults.withSuite(file) {
        Defaults[.volume] = 3
        let suite = Defaults.PropertyListSuite.standard
        #expect(suite.url == file.url)
        #expect(suite.label == file.label)
        try suite.flush(.snapshot)
        #expect(suite.health == file.health)
      }
      #expect(file[.volume] == 3)
    }
  }
}
