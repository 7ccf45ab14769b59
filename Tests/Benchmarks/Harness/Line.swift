/// Does something so many times, and returns what all of it took, in the unit of its line.
typealias Work = (_ count: Int) throws -> Int

/// One thing that is measured, beside one or several ways to do the same without this library.
struct Line {
  let name: String
  /// How many entries the suite has.
  let size: Int
  /// Measures it in so many rounds: a row for each peer.
  let measure: (_ rounds: Int) throws -> [Row]

  /// A line that is measured by doing it; `prepare` is called when the line's turn has come.
  static func contest(
    _ name: String, size: Int, unit: Row.Unit = .nanoseconds,
    prepare: @escaping () throws -> Contest
  ) -> Line {
    Line(name: name, size: size) { rounds in
      let contest = try prepare()
      let medians = try contest.medians(rounds: rounds)
      return zip(contest.peers, medians.peers).map { peer, figure in
        Row(
          line: name, size: size, ours: medians.ours, peer: figure, peerName: peer.name, unit: unit,
          bar: peer.bar)
      }
    }
  }
}

/// What ours is measured against.
struct Peer {
  let name: String
  let bar: Bar?
  let work: Work

  init(_ name: String, bar: Bar? = nil, work: @escaping Work) {
    self.name = name
    self.bar = bar
    self.work = work
  }
}

/// What a ratio has to reach.
struct Bar {
  /// The least ratio of the peer's figure to ours.
  let ratio: Double

  /// At least so many times faster, or smaller, than the peer.
  static func faster(_ times: Double) -> Bar { Bar(ratio: times) }
  /// At most so many times what the peer takes.
  static func atMost(_ times: Double) -> Bar { Bar(ratio: 1 / times) }
}
