import DefaultsSync
import Testing

@Suite("Schedules of a sync")
struct SyncScheduleTests {
  private static let second = SyncSchedule.second
  private var schedule = SyncSchedule()

  @Test("Repeated events delay a sync pass by at most one second")
  mutating func burst() {
    for time in stride(from: 0, through: 3 * Self.second, by: 1_000_000) {
      _ = schedule.plan(at: time + 10_000_000, for: .change, now: time)
      if schedule.takeDue(now: time).isDue {
        #expect(time == Self.second)
        return
      }
    }
    Issue.record("The pass isn't due")
  }

  @Test("A planned sync pass for a change doesn't delay the pass for an arriving file")
  mutating func causes() {
    #expect(schedule.plan(at: Self.second, for: .change, now: 0) == 1)
    #expect(schedule.plan(at: 10_000_000, for: .arrival, now: 0) == 0.01)
    let first = schedule.takeDue(now: 10_000_000)
    #expect(first.isDue && first.delay == 0.99)
    let second = schedule.takeDue(now: Self.second)
    #expect(second.isDue && second.delay == nil)
  }

  @Test("If a check is already scheduled, a later event schedules no further check")
  mutating func covered() {
    #expect(schedule.plan(at: 10_000_000, for: .change, now: 0) == 0.01)
    #expect(schedule.plan(at: 20_000_000, for: .change, now: 5_000_000) == nil)
    let early = schedule.takeDue(now: 10_000_000)
    #expect(!early.isDue && early.delay == 0.01)
    #expect(schedule.takeDue(now: 20_000_000).isDue)
  }
}
