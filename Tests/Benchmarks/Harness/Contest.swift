/// Ours and its peers, ready to run in turns.
struct Contest {
  let ours: Work
  let peers: [Peer]
  /// How many times a round may do it at most.
  var limit = Int.max
  /// Whether it is done that many times in each round, however long that takes.
  var isFixed = false
  /// How many rounds there are at most, for what takes long and hardly varies.
  var roundLimit = Int.max

  /// How long a round of one side takes if it may do it more than once.
  private static let roundLength = 20_000_000

  /// What it takes once: the medians of several rounds.
  ///
  /// Each round runs ours and all peers, so that all see the machine in the same moods; every
  /// second one in the opposite order.
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

  /// How many times a round does it; also warms it up.
  private func calibrate(_ work: Work) throws -> Int {
    if isFixed || limit == 1 { return limit }
    var count = 1
    while true {
      var length = try time { _ = try work(count) }
      // Once more: it may have been kept waiting, and then would be done too seldom.
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
