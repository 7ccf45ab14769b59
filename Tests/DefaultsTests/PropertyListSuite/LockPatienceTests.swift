import Testing

@testable import Defaults

@Suite("Timeouts for a lock held by another process")
struct LockPatienceTests {
  @Test("For a lock of another process, a set waits 1 s, an update 30 s, and an exit 5 s")
  func standard() {
    let patience = LockPatience.standard
    #expect(patience.setter == .seconds(1))
    #expect(patience.exact == .seconds(30))
    #expect(patience.exit == .seconds(5))
  }
}
