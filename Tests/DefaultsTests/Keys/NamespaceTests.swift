import Defaults
import DefaultsTesting
import Foundation
import TestSupport
import Testing

/// The calls of the namespace that act on a key's own suite, or on the program's.
@Suite("Functions of the Defaults namespace", .defaults)
struct NamespaceTests {
  @Test("An increment through the namespace changes the entry in the key's own suite")
  func increment() throws {
    let memory = Defaults.MemorySuite()
    let key = Defaults.Key("count", default: 1, suite: memory)
    #expect(try Defaults.increment(key) == 2)
    #expect(try Defaults.increment(key, by: 5) == 7)
    #expect(memory.integer(forKey: "count") == 7)
    #expect(!Defaults.standard.names.contains("count"))
  }

  @Test(
    "A transaction through the namespace changes the program's suite, unless its body throws")
  func transaction() throws {
    struct Stop: Error {}
    let key = Defaults.Key("count", default: 1)
    let result = try Defaults.transaction { draft in
      draft[key] = 4
      return "made"
    }
    #expect(result == "made")
    #expect(throws: Stop.self) {
      try Defaults.transaction { draft in
        draft[key] = 9
        throw Stop()
      }
    }
    #expect(Defaults.standard.integer(forKey: "count") == 4)
  }

  @Test("The namespace reports whether an entry is stored for a key, regardless of defaults")
  func contains() {
    let key = Defaults.Key("count", default: 1)
    #expect(!Defaults.contains(key))
    Defaults[key] = 1
    #expect(Defaults.contains(key))
  }

  @Test("A flush through the namespace throws if the file of the program's suite can't be synced")
  func flush() throws {
    let folder = try TemporaryFolder()
    let process = try OpenSuite(folder["settings.plist"])
    try Defaults.withSuite(process.suite) {
      Defaults[Defaults.Key("count", default: 1)] = 2
      process.disk.fail(with: .EIO) { $0.operation == .synchronize }
      #expect(throws: Defaults.SuiteError.self) { try Defaults.flush() }
      process.disk.heal()
      try Defaults.flush()
    }
  }

  @Test("A computed default that the key's own rule rejects is returned, with an issue")
  func computedDefault() throws {
    let issues = IssueLog()
    let memory = Defaults.MemorySuite(onIssue: { issues.append($0) })
    let key = Defaults.Key<Int>("count", suite: memory, .in(0...5)) { 9 }
    #expect(Defaults[key] == 9)
    #expect(issues.codes == [.invalid])
    #expect(issues.all.first?.description.contains("The computed default isn't allowed") == true)
    #expect(throws: Defaults.SuiteError.self) { try Defaults.value(for: key) }
  }
}
