/// Repeats an action, and returns the total in the unit of its line.
typealias Work = (_ count: Int) throws -> Int

/// A measured action, and one or several ways to do the same without this library.
struct Line {
  let name: String
  /// The number of entries in the suite.
  let size: Int
  /// Measures some rounds, and returns a row for each peer.
  let measure: (_ rounds: Int) throws -> [Row]

  /// A line whose sides run in a contest. `prepare` is called when it is the line's turn.
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

/// An alternative to the library.
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

/// The required ratio.
struct Bar {
  /// The minimum ratio of the peer's figure to the library's.
  let ratio: Double

  /// The library must be at least this many times faster, or smaller, than the peer.
  static func faster(_ times: Double) -> Bar { Bar(ratio: times) }
  /// The library may take at most this many times the peer's time.
  static func atMost(_ times: Double) -> Bar { Bar(ratio: 1 / times) }
}
