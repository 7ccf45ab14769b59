import Testing

@testable import Defaults

@Suite("How long another process is waited for")
struct LockPatienceTests {
  @Test("A second for a set, half a minute for what stands on it, five seconds at exit")
  func standard() {
    let patience = LockPatience.standard
    #expect(patience.setter == .seconds(1))
    #expect(patience.exact == .seconds(30))
    #expect(patience.exit == .seconds(5))
  }
}
