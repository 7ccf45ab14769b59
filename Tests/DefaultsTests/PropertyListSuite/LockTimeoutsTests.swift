import Testing

@testable import Defaults

@Suite("Timeouts for a lock held by another process")
struct LockTimeoutsTests {
  @Test("For a lock of another process, a set waits 1 s, an update 30 s, and an exit 5 s")
  func standard() {
    let timeouts = LockTimeouts.standard
    #expect(timeouts.setter == .seconds(1))
    #expect(timeouts.exact == .seconds(30))
    #expect(timeouts.exit == .seconds(5))
  }
}
