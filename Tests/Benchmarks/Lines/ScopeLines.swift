import Defaults
import Foundation
import Harness

/// What a scope costs reads through a key of the program's suite, each in a process of its own:
/// such a process never goes back to reading without.
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

/// Where a key of the program's suite is read.
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

  /// How many nanoseconds so many reads take.
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
