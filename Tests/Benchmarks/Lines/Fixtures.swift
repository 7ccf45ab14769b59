import Defaults
import Foundation
import Harness

/// A suite and Foundation settings with the same entries.
struct Fixture {
  let suite: Defaults.PropertyListSuite
  let count: Defaults.Key<Int>
  let userName: Defaults.Key<String>
  let user: Defaults.Key<User>
  let entries: [String: Defaults.PropertyListValue]
  let foundation: FoundationSettings

  init(
    _ suite: Defaults.PropertyListSuite, foundation name: String,
    _ entries: [String: Defaults.PropertyListValue], in scratch: Scratch
  ) throws {
    self.suite = suite
    self.entries = entries
    count = Defaults.Key("launchCount", default: 0, suite: suite)
    userName = Defaults.Key("userName", default: "", suite: suite)
    user = Defaults.Key("user", default: Entries.user, suite: suite)
    var objects = entries.mapValues(\.foundationObject)
    // Users of Foundation store Codable values as data.
    if objects["user"] != nil { objects["user"] = try JSONEncoder().encode(Entries.user) }
    foundation = try FoundationSettings(name, holding: objects, in: scratch)
    try suite.transaction { draft in
      for (name, entry) in entries { try draft.setEntry(entry, named: name) }
    }
    try suite.flush(.snapshot)
  }
}

/// The fixtures of a run, each created when a line first needs it.
final class Fixtures {
  static let sizes = [10, 1_000, 10_000]

  let scratch: Scratch
  private var bySize: [Int: Fixture] = [:]
  private var ofProgram: Fixture?
  private var count = 0

  init(_ scratch: Scratch) { self.scratch = scratch }

  /// The suite of this program, with 1,000 entries.
  func standard() throws -> Fixture {
    if let ofProgram { return ofProgram }
    let new = try Fixture(
      .standard, foundation: "Standard", Entries.mixed(1_000), in: scratch)
    ofProgram = new
    return new
  }

  /// A suite that several lines share.
  func shared(_ size: Int) throws -> Fixture {
    if let fixture = bySize[size] { return fixture }
    let new = try own(Entries.mixed(size))
    bySize[size] = new
    return new
  }

  /// A suite for a single line.
  func own(_ entries: [String: Defaults.PropertyListValue]) throws -> Fixture {
    count += 1
    let name = "fixture-\(count)"
    return try Fixture(
      Defaults.PropertyListSuite(named: name), foundation: name, entries, in: scratch)
  }
}
