import Testing

@testable import Defaults

@Suite("Timeouts for a lock held by another process")
struct LockPatienceTests {
  @Test("The timeouts are 1 s for a set, 30 s for an update, and 5 s at exit")
  func standard() {
    let patience = LockPatience.standard
    #expect(patience.setter == .seconds(1))
    #expect(patience.exact == .seconds(30))
    #expect(patience.exit == .seconds(5))
  }
}
