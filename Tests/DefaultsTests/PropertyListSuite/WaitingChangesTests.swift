import Testing

@testable import Defaults

@Suite("Changes that wait in memory")
struct WaitingChangesTests {
  private func change(_ value: Defaults.PropertyListValue, at time: UInt64)
    -> LogRecord.JoinedChange
  {
    LogRecord.JoinedChange(name: "a", edit: .set(value), version: LogVersion(time), writer: 1)
  }

  @Test("Of several changes of an entry, the one with the newest version waits")
  func newest() {
    var waiting = WaitingChanges()
    for (value, time) in [(1, 10), (2, 30), (3, 20)] as [(Defaults.PropertyListValue, UInt64)] {
      waiting.add(change(value, at: time))
    }
    #expect(waiting.byName["a"] == change(2, at: 30))
    #expect(waiting.latest == LogVersion(30))
  }

  @Test("After a failed attempt, a set makes the next one after more than a commit per 4 KiB")
  func attempts() {
    var waiting = WaitingChanges()
    waiting.noteFailure(of: 8_192)
    #expect((1...3).map { _ in waiting.countCommit() } == [false, false, true])
  }
}
