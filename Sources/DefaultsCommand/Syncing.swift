import Defaults
import DefaultsText

// The verb for settings that are synced with other devices, by a product that this one doesn't
// depend on.

extension Verb {
  static let syncing = [sync]

  /// The verbs that the help lists: all, without `sync` if the settings aren't synced.
  static func listed(of command: Defaults.Command) -> [Verb] {
    all(of: command).filter { $0.name != sync.name || command.sync != nil }
  }

  private static let sync = Verb(
    name: "sync", operands: "status|devices|now|log", count: 1...1,
    summary: "sync with the other devices, or print the state, the devices or the latest changes"
  ) { command, invocation in
    guard let sync = command.sync else {
      throw Defaults.CommandError("this program doesn't sync its settings", status: 69)
    }
    switch invocation.operands[0] {
    case "now": try sync.now()
    case "status":
      sync.refresh()
      for line in table(sync.statusRows, width: Console.width) { Console.print(line) }
    case "devices":
      sync.refresh()
      for line in table(sync.deviceRows, width: Console.width) { Console.print(line) }
    case "log":
      sync.refresh()
      for line in table(sync.changeRows, width: Console.width) { Console.print(line) }
    case let word:
      throw UsageError(unknown: "operand", word, known: ["status", "devices", "now", "log"])
    }
  }
}

extension Defaults.Command {
  /// The sync of the settings; nil if they aren't synced.
  fileprivate var sync: (any SuiteSync)? { suite.writable.support.sync.withLock { $0 } }

  /// The device and the time that the value of a setting came from; nil if it isn't synced.
  func origin(of key: Defaults.AnyKey) -> String? {
    guard let sync else { return nil }
    sync.refresh()
    return sync.origin(of: key.name)
  }
}

extension SuiteSync {
  /// Syncs first, so that the output is current. `sync status` shows a failure.
  fileprivate func refresh() {
    do throws(SuiteError) {
      try now()
    } catch {
      // The device is offline, or another process syncs: the known state is printed.
    }
  }
}
