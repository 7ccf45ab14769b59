import Defaults
import Foundation

/// The members of a cluster. One of them is used until it fails.
final class Endpoints: Sendable {
  let all: [URL]
  private let index: Lock<Int>

  /// Starts with a random member, to distribute the programs of a fleet.
  init(_ all: [URL]) {
    self.all = all
    index = Lock(Int.random(in: 0..<all.count))
  }

  var current: URL { all[index.withLock { $0 }] }

  /// Switches to the next member, unless another caller has already switched.
  func giveUp(_ endpoint: URL) {
    index.withLock { index in
      if all[index] == endpoint { index = (index + 1) % all.count }
    }
  }
}

/// Growing delays with a random part, so that programs which failed at the same time don't retry at
/// the same time.
struct Pauses {
  private let longest: Double
  private var next: Double

  /// Creates delays that grow from a first one to a longest one, in seconds.
  init(from first: Double, upTo longest: Double) {
    next = first
    self.longest = longest
  }

  mutating func take() -> Double {
    defer { next = min(next * 2, longest) }
    return Double.random(in: next / 2...next)
  }
}
