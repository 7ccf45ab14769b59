import FuzzInputs

/// The random choices while a schedule runs.
///
/// A choice only depends on the seed and the number of the step, so that omitting one affects no
/// other.
struct SimulationChoices: Sendable {
  /// The kinds of choices.
  enum Subject: UInt64 {
    case turn = 1
    case thread, split, splitSize, deadline, deadlineTime, shortCall, power
  }

  /// The thread that runs after a step, if it differs from the previous one.
  struct Turn: Sendable, Hashable {
    let step: Int
    let thread: Int
  }

  let seed: UInt64
  /// The given turns; nil if the seed decides.
  var turns: [Int: Int]?
  /// The turns that were made.
  private(set) var made: [Turn] = []
  private let oneIn: Int
  private let weights: [Int]

  init(seed: UInt64, threads: Int, turns: [Int: Int]? = nil) {
    self.seed = seed
    self.turns = turns
    var random = SplitMix64(state: seed ^ 0x5851_f42d_4c95_7f2d)
    oneIn = random.pick([2, 3, 6, 12, 40])
    // Threads that rarely run, or that run long before others, lead to special states.
    let isEven = random.oneIn(3)
    weights = (0..<threads).map { _ in isEven ? 1 : random.pick([1, 1, 3, 12]) }
  }

  /// A number below a limit.
  func number(_ subject: Subject, at step: Int, below limit: Int) -> Int {
    var random = SplitMix64(
      state: seed &+ UInt64(step) &* 0x9e37_79b9_7f4a_7c15 ^ subject.rawValue << 56)
    _ = random.next()
    return random.below(limit)
  }

  func happens(_ subject: Subject, at step: Int, oneIn count: Int) -> Bool {
    number(subject, at: step, below: count) == 0
  }

  /// Whether another thread may run now.
  func mayTurn(at step: Int) -> Bool {
    if let turns { return turns[step] != nil }
    return happens(.turn, at: step, oneIn: oneIn)
  }

  /// The number of the thread that runs next, among those that can run.
  mutating func next(_ candidates: [Int], after current: Int?, at step: Int) -> Int {
    let chosen: Int
    if let turns {
      let wanted = turns[step].flatMap { candidates.contains($0) ? $0 : nil }
      chosen = wanted ?? current.flatMap { candidates.contains($0) ? $0 : nil } ?? candidates[0]
    } else {
      var place = number(
        .thread, at: step, below: candidates.reduce(0) { $0 + weights[$1] })
      chosen =
        candidates.first { candidate in
          place -= weights[candidate]
          return place < 0
        } ?? candidates[0]
    }
    if chosen != current { made.append(Turn(step: step, thread: chosen)) }
    return chosen
  }
}
