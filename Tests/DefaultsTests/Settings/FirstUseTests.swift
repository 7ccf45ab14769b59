import Defaults
import Foundation
import TestSupport
import Testing

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var nickname: String?
}

@Suite("First use of stored properties")
struct FirstUseTests {
  @Test("Concurrent first uses of a stored property share one key and lose no change")
  func manyThreads() {
    for _ in 0..<100 {
      let suite = Defaults.MemorySuite()
      let settings = Preferences(suite: suite)
      let keys = Log<Defaults.Key<Int>>()
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        keys.append(settings.$volume)
        _ = try? Defaults.update(settings.$volume) { $0 += 1 }
        if worker == 0 { settings.nickname = "Ada" }
      }
      #expect(Set(keys.all.map(ObjectIdentifier.init)).count == 1)
      #expect(suite.entries == ["volume": 9, "nickname": "Ada"])
    }
  }
}
