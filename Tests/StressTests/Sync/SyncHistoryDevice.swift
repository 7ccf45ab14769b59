import Defaults
import DefaultsSync

/// A device of a history: a suite, what the device remembers, and what it knows in the model.
struct SyncHistoryDevice {
  /// The step of a pass before which the device dies.
  enum Death: Int {
    case saving, publishing, applying, confirming
  }

  var local: LocalState
  var suite: [String: LocalState.Observed] = [:]
  var knowledge: SyncModel.Knowledge = [:]
  var hasVanished = false
  /// In microseconds.
  var clockError: Int64 = 0
  /// The latest time of the suite, which never goes back.
  private var latest: UInt64 = 0
  private var backup: Backup?

  private struct Backup {
    let local: LocalState
    let suite: [String: LocalState.Observed]
    let knowledge: SyncModel.Knowledge
  }

  init(id: String) {
    local = LocalState(device: id, name: id, machine: "m")
    for name in SyncHistory.names { suite[name] = LocalState.Observed(edit: .remove) }
  }

  func clock(_ time: UInt64) -> SyncClock {
    SyncClock(now: UInt64(max(1, Int64(time) + clockError)))
  }

  mutating func set(_ name: String, _ edit: Defaults.Edit, at time: UInt64, hasTimes: Bool) {
    latest = max(latest + 1, clock(time).now)
    suite[name] = LocalState.Observed(edit: edit, version: hasTimes ? latest : nil)
  }

  mutating func backUp() {
    backup = Backup(local: local, suite: suite, knowledge: knowledge)
  }

  mutating func restore() -> Bool {
    guard let backup else { return false }
    (local, suite, knowledge) = (backup.local, backup.suite, backup.knowledge)
    return true
  }

  mutating func loseState(id: String) {
    local = LocalState(device: id, name: id, machine: "m")
    knowledge = [:]
  }

  /// Makes a pass, and returns the file that it publishes.
  mutating func pass(
    _ files: [SyncHistory.Publication], _ death: Death?, _ history: inout SyncHistory
  ) throws -> SyncHistory.Publication? {
    let clock = clock(history.time)
    var (new, known) = (local, knowledge)
    let deviceFiles = files.map(\.file)
    new.renewIfOutrun(by: deviceFiles) { history.newID() }
    let concurrent = Set(SyncHistory.names.filter { new.applied[$0] != .value })
    let before = new.state
    _ = new.record(suite, SyncHistory.resolutions, clock)
    note(before, new, concurrent, &known, &history)
    for file in files where new.state.devices[file.file.device]?.isForgotten != true {
      join(file, clock, &known)
    }
    let recorded = new.state
    let retention = history.weather.isAcquainted ? 0 : LocalState.retention
    _ = new.take(
      deviceFiles, suite, SyncHistory.resolutions, clock, keepingTombstones: retention
    ) { history.newID() }
    note(recorded, new, [], &known, &history)
    let mustPublish = new.mustPublish(over: deviceFiles, clock)
    if mustPublish { new.countFile(clock) }
    history.steps.append(
      "\(new.device) joins \(deviceFiles.map { "\($0.device):\($0.state.context[$0.device])" })"
        + (mustPublish ? ", publishes" : "") + (death.map { ", dies at \($0)" } ?? ""))
    if death == .saving { return nil }
    (local, knowledge) = (new, known)
    if death == .publishing { return nil }
    let publication = SyncHistory.Publication(
      file: DeviceFile(device: new.device, state: new.state), knowledge: known)
    let result = mustPublish ? publication : nil
    if death == .applying { return result }
    let wanted = new.wanted(suite, SyncHistory.resolutions)
    let hasTimes = history.weather.hasTimes
    for (name, edit) in wanted { set(name, edit, at: history.time, hasTimes: hasTimes) }
    if death == .confirming { return result }
    for name in wanted.keys { local.applied[name] = .value }
    return result
  }

  /// Adds the changes that this device just made to the model.
  private func note(
    _ old: SyncState, _ new: LocalState, _ concurrent: Set<String>,
    _ known: inout SyncModel.Knowledge, _ history: inout SyncHistory
  ) {
    let count = old.context[new.device]
    for name in SyncHistory.names {
      let entries = new.state.entries[name] ?? []
      let made = entries.filter { $0.change.device == new.device && $0.change.number > count }
      let standing = history.model.standing(name, in: known)
      let replaced = standing.filter { index in
        let change = history.model.changes[index]
        if concurrent.contains(name) { return change.device == new.device }
        return !entries.contains {
          $0.change.device == change.device && $0.change.number == change.number
        }
      }
      for entry in made {
        history.model.add(
          SyncModel.Change(
            device: entry.change.device, number: entry.change.number, edit: entry.edit,
            version: entry.version, replaced: Set(replaced)),
          of: name, to: &known)
      }
    }
  }

  /// Adds what a file's device knew, except for settings that wait.
  private func join(
    _ publication: SyncHistory.Publication, _ clock: SyncClock, _ known: inout SyncModel.Knowledge
  ) {
    for (name, indices) in publication.knowledge {
      let entries = publication.file.state.entries[name] ?? []
      if entries.contains(where: { clock.isAhead($0.version) }) { continue }
      known[name, default: []].formUnion(indices)
    }
  }
}
