import Defaults
import Foundation

// Options for settings that are shared by a fleet through a server.

extension Verb {
  private static let wait = Option(
    name: "--wait", value: "SECONDS",
    summary: "the time to wait for the settings server, in seconds; 2 by default")

  private static let fleet = Option(
    name: "--fleet", summary: "use only the fleet's settings, not this machine's")

  /// The options of the verb in a command.
  func options(in command: Defaults.Command) -> [Option] {
    let isRemote = usesSettings && !(command.suite.stored?.remotes ?? []).isEmpty
    return options + (isRemote ? [Self.wait, Self.fleet] : [])
  }

  /// The command to run the verb on: for the fleet's settings if `--fleet` is given.
  ///
  /// Waits until the settings are current, or prints on standard error how old they are.
  func command(
    _ command: Defaults.Command, for invocation: Invocation
  ) throws(UsageError) -> Defaults.Command {
    guard usesSettings, let stored = command.suite.stored, let remote = stored.remotes.first else {
      return command
    }
    let words = invocation[Self.wait] ?? "2"
    guard let seconds = Double(words), (0...1e6).contains(seconds) else {
      throw UsageError("--wait takes a number of seconds, not \"\(words)\"")
    }
    let suite = invocation.has(Self.fleet) ? remote : stored
    let deadline = MonotonicClock.now(plus: .seconds(seconds))
    for copy in suite.awaitCurrent(until: deadline) { Console.printError(copy.description) }
    guard invocation.has(Self.fleet) else { return command }
    return Defaults.Command(
      command.keys, suite: remote, name: command.name, version: command.version)
  }
}

extension Defaults.StoredSuite {
  /// The suites of servers that the entries come from: this suite, or the suites from which it is
  /// derived.
  fileprivate var remotes: [Defaults.StoredSuite] {
    if persistence is any RemotePersistence { return [self] }
    return derived.map { $0.base.remotes + $0.sources.flatMap(\.remotes) } ?? []
  }

  /// Waits until reads show the entries of all servers; see
  /// ``RemotePersistence/awaitCurrent(until:)``. Must not be called in the body of a transaction.
  fileprivate func awaitCurrent(until deadline: UInt64) -> [StaleCopy] {
    let copies = remotes.compactMap { remote in
      (remote.persistence as? any RemotePersistence)?.awaitCurrent(until: deadline)
    }
    derived?.reload()
    return copies
  }
}

extension StaleCopy {
  /// A line for the user.
  fileprivate var description: String {
    let age = date.map { "cached, \(Self.age(of: $0)) old" } ?? "not known"
    return "The settings of \(label) are \(age). \(reason)"
  }

  private static func age(of date: Date) -> String {
    // A date in a damaged cache may be any number.
    let seconds = Int(min(max(0, -date.timeIntervalSinceNow), 1e15))
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
