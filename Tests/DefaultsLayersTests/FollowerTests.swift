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
      #expect(base.storage.table.followers.withLock { $0.elements.count } <= 4)
    }
    base.set(1, forKey: "x")
    #expect(kept.integer(forKey: "x") == 1)
  }
}
