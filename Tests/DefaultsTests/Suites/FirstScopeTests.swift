import Defaults
import Foundation
import TestSupport
import Testing

@Suite("First scope of a process", .prompt)
struct FirstScopeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Two concurrent first scopes don't see values that were read outside before")
  func race() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let keys = (0..<30_000).map { Defaults.Key("first.\($0)", default: 0) }
      try Defaults.PropertyListSuite.standard.transaction { draft in
        for key in keys { draft[key] = 1 }
      }
      #expect(keys.allSatisfy { Defaults[$0] == 1 })
      let wrong = Log<Int>()
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        Defaults.withSuite(Defaults.MemorySuite()) {
          wrong.append(keys.reversed().count { Defaults[$0] != 0 })
        }
      }
      #expect(wrong.all == [0, 0])
    }
  }

  @Test("The constant default of a key of a scope is read without opening the program's suite")
  func constantDefault() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let key = Defaults.withSuite(Defaults.MemorySuite()) { Defaults.Key("first", default: 1) }
      #expect(key.defaultValue == 1)
      // This traps after the suite was opened.
      Defaults.PropertyListSuite.standardFormat = .xml
    }
  }
}
