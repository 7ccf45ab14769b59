import Defaults
import Foundation
import Harness

/// The cost of a scope for reads through a key of the program's suite. Each part needs its own
/// process, since a process that has opened a scope never returns to reading without one.
struct ScopeLines {
  let fixtures: Fixtures

  var lines: [Line] {
    [
      line("read an Int once a scope was opened, outside of it", .outside),
      line("read an Int within a scope", .inside),
    ]
  }

  private func line(_ name: String, _ part: ScopedReading) -> Line {
    .contest(name, size: 1_000) {
      _ = try fixtures.standard()
      return Contest(
        ours: { try part.timeInChild($0) },
        peers: [
          Peer("in a process without a scope", work: { try ScopedReading.without.timeInChild($0) })
        ], limit: 1_000_000, isFixed: true)
    }
  }
}

/// The place at which a key of the program's suite is read.
enum ScopedReading: String {
  /// In a process that never opens a scope.
  case without
  case outside
  case inside

  init(_ name: String) throws {
    guard let part = Self(rawValue: name) else { throw HarnessError("No part \(name)") }
    self = part
  }

  fileprivate func timeInChild(_ count: Int) throws -> Int {
    try Child.number(["scope", rawValue, "\(count)"])
  }

  /// The time of the reads in nanoseconds.
  func time(_ count: Int) -> Int {
    // Opens the suite.
    use(Defaults[.launchCount])
    switch self {
    case .without:
      return timeReads(count) { Defaults[.launchCount] }
    case .outside:
      Defaults.withSuite(Defaults.MemorySuite()) {}
      return timeReads(count) { Defaults[.launchCount] }
    case .inside:
      return Defaults.withSuite(Defaults.MemorySuite(["launchCount": 42])) {
        timeReads(count) { Defaults[.launchCount] }
      }
    }
  }
}
