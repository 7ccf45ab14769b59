import Defaults
import Foundation

/// The steps of a process on a file. Its names begin with its prefix, except the counter, which all
/// processes share.
struct CallScenario {
  typealias Entries = [String: Defaults.PropertyListValue]

  struct Step: Sendable {
    /// The change of this process's entries, unless the step throws.
    var change: @Sendable (inout Entries) -> Void = { _ in }
    /// The number that the step adds to the counter.
    var count = 0
    let run: @Sendable (Actor) throws -> Void
  }

  static let counter = "counter"

  let steps: [Step]

  /// With `reopens`, the file is closed and opened again in the middle.
  init(prefix: String, reopens: Bool = true) {
    let prefix = prefix + "."
    var steps = [
      Self.open, Self.set(1, prefix + "a"), Self.set("text", prefix + "b"), Self.increment,
      Self.pair(1, prefix), Self.flush(.durable), Self.set(2, prefix + "a"),
      Self.flush(.snapshot), Self.increment, Self.pair(2, prefix), Self.remove(prefix + "b"),
    ]
    if reopens { steps.append(Self.open) }
    steps += [
      Self.set(.data(Data(repeating: 7, count: 300)), prefix + "c"), Self.flush(.snapshot),
      Self.set(3, prefix + "a"), Self.remove(prefix + "c"), Self.flush(.durable), Self.increment,
    ]
    self.steps = steps
  }

  /// The entries of a process that has done these steps, numbered from 0.
  func outcome(of done: some Sequence<Int>) -> (entries: Entries, count: Int) {
    done.reduce(into: (entries: [:], count: 0)) { outcome, number in
      steps[number].change(&outcome.entries)
      outcome.count += steps[number].count
    }
  }

  /// The process that does the steps.
  final class Actor {
    private let opening: () throws -> Defaults.StoredSuite
    private var opened: Defaults.StoredSuite?

    init(opening: @escaping () throws -> Defaults.StoredSuite) { self.opening = opening }

    var suite: Defaults.StoredSuite {
      get throws {
        guard let opened else { throw NotOpen() }
        return opened
      }
    }

    func open() throws {
      opened = nil
      opened = try opening()
    }
  }

  /// The error of steps after the file failed to open.
  struct NotOpen: Error {}
}

// MARK: - Steps

extension CallScenario {
  private static let open = Step(run: { try $0.open() })

  private static func set(_ value: Defaults.PropertyListValue, _ name: String) -> Step {
    Step(change: { $0[name] = value }, run: { try $0.suite.write(.set(value), named: name) })
  }

  private static func remove(_ name: String) -> Step {
    Step(change: { $0[name] = nil }, run: { try $0.suite.removeEntry(named: name) })
  }

  private static func flush(_ extent: Defaults.FlushExtent) -> Step {
    Step(run: { try $0.suite.flush(extent) })
  }

  private static let increment = Step(
    count: 1,
    run: { actor in
      let suite = try actor.suite
      let key = Defaults.Key<Int>(counter, default: 0, suite: suite)
      try suite.update(key) { count throws(any Error) in count += 1 }
    })

  /// Two entries that are always equal.
  private static func pair(_ number: Int64, _ prefix: String) -> Step {
    let names = [prefix + "x", prefix + "y"]
    return Step(
      change: { for name in names { $0[name] = .integer(number) } },
      run: { actor in
        try actor.suite.transaction { draft throws(any Error) in
          for name in names { try draft.setEntry(.integer(number), named: name) }
        }
      })
  }
}
