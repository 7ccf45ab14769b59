/// What is to be done in the background, and when; times are nanoseconds of one clock.
struct BackgroundJobs {
  struct Job: Sendable {
    let due: UInt64
    /// Rises in the order of arrival, which decides where two are due at once.
    let number: UInt64
    let lane: UInt64
    let body: @Sendable () -> Void

    fileprivate func isBefore(_ other: Job) -> Bool {
      (due, number) < (other.due, other.number)
    }
  }

  /// How many run at once as long as none of them takes its time.
  static let usualLimit = 3
  /// How many run at once at most.
  static let limit = 31
  /// How long a job waits for the usual threads before it gets another one: these may all be at
  /// disks that don't answer.
  static let patience: UInt64 = 1_000_000_000

  /// A binary heap, the first one at the top.
  private var waiting: [Job] = []
  /// The lanes of the jobs that run, each with the jobs that became due meanwhile.
  private var held: [UInt64: [Job]] = [:]
  private var lastNumber: UInt64 = 0

  /// Whether nothing is left that somebody has to look out for.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a job; returns whether it is the first one now.
  mutating func add(_ body: @escaping @Sendable () -> Void, lane: UInt64, due: UInt64) -> Bool {
    lastNumber += 1
    insert(Job(due: due, number: lastNumber, lane: lane, body: body))
    return waiting.first?.number == lastNumber
  }

  /// Takes out the next job that may run now; `finish` is to be called after it.
  mutating func take(now: UInt64) -> Job? {
    while let first = waiting.first, first.due <= now {
      if held[first.lane] != nil {
        held[first.lane]?.append(first)
        removeFirst()
      } else if held.count < Self.usualLimit
        || held.count < Self.limit && now - first.due >= Self.patience
      {
        held[first.lane] = []
        removeFirst()
        return first
      } else {
        return nil
      }
    }
    return nil
  }

  /// The job of this lane is done, so that the next one may run.
  mutating func finish(lane: UInt64) {
    for job in held.removeValue(forKey: lane) ?? [] { insert(job) }
  }

  /// When `take` may give a job that it doesn't now; nil if there is none. A job that is done may
  /// make that earlier.
  func nextTime(after now: UInt64) -> UInt64? {
    guard let due = waiting.first?.due else { return nil }
    if due > now { return due }
    return max(due, held.count < Self.limit ? 0 : now) + Self.patience
  }

  private mutating func insert(_ job: Job) {
    var index = waiting.count
    waiting.append(job)
    while index > 0, case let parent = (index - 1) / 2, job.isBefore(waiting[parent]) {
      waiting.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func removeFirst() {
    waiting.swapAt(0, waiting.count - 1)
    waiting.removeLast()
    var index = 0
    while case let left = 2 * index + 1, left < waiting.count {
      let right = left + 1
      let least =
        right < waiting.count && waiting[right].isBefore(waiting[left]) ? right : left
      guard waiting[least].isBefore(waiting[index]) else { return }
      waiting.swapAt(index, least)
      index = least
    }
  }
}
