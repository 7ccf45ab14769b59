import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Queue of background jobs")
struct BackgroundJobsTests {
  private var jobs = BackgroundJobs()

  /// Removes and returns the numbers of the jobs that may run now.
  private mutating func take(now: UInt64) -> [UInt64] {
    var numbers: [UInt64] = []
    while let job = jobs.take(now: now) { numbers.append(job.number) }
    return numbers
  }

  private mutating func expect(_ numbers: [UInt64], now: UInt64) {
    let taken = take(now: now)
    #expect(taken == numbers)
  }

  private mutating func expect(count: Int, now: UInt64) {
    let taken = take(now: now)
    #expect(taken.count == count)
  }

  @Test("Due jobs are taken by due time and then in order of arrival")
  mutating func order() {
    var generator = SystemRandomNumberGenerator()
    let dues = (0..<500).map { _ in UInt64.random(in: 0..<50, using: &generator) }
    for (index, due) in dues.enumerated() {
      let isFirst = jobs.add({}, lane: UInt64(index), due: due)
      #expect(isFirst == (dues[..<index].allSatisfy { due < $0 }))
    }
    var order: [UInt64] = []
    for now in 0..<UInt64(50) {
      while let job = jobs.take(now: now) {
        #expect(job.due == now)
        order.append(job.number)
        jobs.finish(lane: job.lane)
      }
      #expect((jobs.nextTime(after: now) ?? .max) > now)
    }
    let expected = dues.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect(order == expected.map { UInt64($0.offset) + 1 })
    #expect(jobs.isEmpty)
  }

  @Test("Jobs of one lane run serially, and jobs of another lane don't wait for them")
  mutating func lanes() {
    _ = jobs.add({}, lane: 1, due: 0)
    _ = jobs.add({}, lane: 1, due: 0)
    _ = jobs.add({}, lane: 1, due: 5)
    _ = jobs.add({}, lane: 2, due: 9)
    expect([1, 4], now: 9)
    // Jobs of the first lane need no timer: the thread that finishes a job takes the next one.
    #expect(jobs.isEmpty)
    jobs.finish(lane: 1)
    expect([2], now: 9)
    jobs.finish(lane: 2)
    expect([], now: 9)
    jobs.finish(lane: 1)
    expect([3], now: 9)
  }

  @Test("More than three jobs run at once only after a due job has waited for a second")
  mutating func limits() {
    let due: UInt64 = 7
    for lane in 0..<UInt64(40) { _ = jobs.add({}, lane: lane, due: due) }
    expect(count: 3, now: due)
    let later = due + BackgroundJobs.patience
    #expect(jobs.nextTime(after: due) == later)
    expect(count: 0, now: later - 1)
    expect(count: BackgroundJobs.limit - 3, now: later)
    // Now a job has to finish first.
    expect(count: 0, now: 10 * later)
    #expect((jobs.nextTime(after: 10 * later) ?? 0) > 10 * later)
    jobs.finish(lane: 0)
    expect(count: 1, now: 10 * later)
  }
}
