import DefaultsLayers
import Testing

@testable import Defaults

@Suite("Suites derived from another suite")
struct FollowerTests {
  @Test("A suite doesn't accumulate released suites that were derived from it")
  func released() throws {
    let base = Defaults.MemorySuite()
    let kept = try Defaults.LayeredSuite(.writable(base))
    for _ in 0..<200 {
      _ = try Defaults.LayeredSuite(.writable(base))
      #expect(base.storage.table.followers.withLock { $0.count } <= 4)
    }
    base.set(1, forKey: "x")
    #expect(kept.integer(forKey: "x") == 1)
  }

  @Test("Without observers, changes of other processes don't accumulate deliveries")
  func undelivered() throws {
    let base = Defaults.MemorySuite()
    let suite = try Defaults.LayeredSuite(.writable(base))
    let table = base.storage.table
    for number in 1...100 {
      try table.withWriter { table.commitExternal(["x": .set(.integer(Int64(number)))]) }
      table.support.deliverExternal()
    }
    // None if a thread of the library has just delivered.
    #expect(table.support.state.withLock { $0.derived.count } <= 1)
    #expect(suite.integer(forKey: "x") == 100)
  }
}
