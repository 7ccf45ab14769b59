import Defaults
import Foundation

/// The members of a cluster, one of which is asked until it fails.
final class Endpoints: Sendable {
  let all: [URL]
  private let index: Lock<Int>

  /// The first one to be asked is chosen at random, so that the programs of a fleet spread.
  init(_ all: [URL]) {
    self.all = all
    index = Lock(Int.random(in: 0..<all.count))
  }

  /// The one to ask.
  var current: URL { all[index.withLock { $0 }] }

  /// Has the next one be asked, unless that is so already.
  func giveUp(_ endpoint: URL) {
    index.withLock { index in
      if all[index] == endpoint { index = (index + 1) % all.count }
    }
  }
}

/// Pauses that grow, and differ from those of others who began at the same time.
struct Pauses {
  private let longest: Double
  private var next: Double

  /// Pauses from so many seconds up to so many.
  init(from first: Double, upTo longest: Double) {
    next = first
    self.longest = longest
  }

  /// The next pause, in seconds.
  mutating func take() -> Double {
    defer { next = min(next * 2, longest) }
    return Double.random(in: next / 2...next)
  }
}
