/// The library and its peers, ready to be measured in turns.
struct Contest {
  let ours: Work
  let peers: [Peer]
  /// The maximum number of repetitions in a round.
  var limit = Int.max
  /// Whether each round has exactly `limit` repetitions, regardless of their time.
  var isFixed = false
  /// The maximum number of rounds, for slow work with little variance.
  var roundLimit = Int.max

  /// The target length of a round of one side, in nanoseconds.
  private static let roundLength = 20_000_000

  /// The time of one repetition: the medians of several rounds.
  ///
  /// Each round runs the library and all peers, every second one in the opposite order, so that
  /// changes of the machine's speed affect all.
  func medians(rounds: Int) throws -> (ours: Double, peers: [Double]) {
    let sides = [ours] + peers.map(\.work)
    let counts = try sides.map { try calibrate($0) }
    var figures = sides.map { _ in [Double]() }
    for round in 0..<min(rounds, roundLimit) {
      let order = round.isMultiple(of: 2) ? Array(sides.indices) : sides.indices.reversed()
      for side in order {
        figures[side].append(Double(try sides[side](counts[side])) / Double(counts[side]))
      }
    }
    let medians = figures.map(Self.median)
    return (medians[0], Array(medians.dropFirst()))
  }

  /// The number of repetitions in a round. Also warms up.
  private func calibrate(_ work: Work) throws -> Int {
    if isFixed || limit == 1 { return limit }
    var count = 1
    while true {
      var length = try time { _ = try work(count) }
      // Measure again. A delayed first measurement would cause too few repetitions.
      if length >= Self.roundLength / 2 { length = min(length, try time { _ = try work(count) }) }
      if length >= Self.roundLength / 2 || count >= limit {
        let fitting = Double(count) * Double(Self.roundLength) / Double(max(length, 1))
        return max(1, min(limit, Int(fitting)))
      }
      count = min(limit, count * (length < Self.roundLength / 40 ? 8 : 2))
    }
  }

  static func median(_ figures: [Double]) -> Double {
    let sorted = figures.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
