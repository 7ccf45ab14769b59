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
  /// The mark of the suite, which is lost with it.
  private(set) var mark: SuiteMark
  var machine = "m"
  /// All ids under which it has made a pass.
  var ids: Set<String> = []
  var knowledge: SyncModel.Knowledge = [:]
  /// The settings that a person changed since the last pass that recorded them.
  var unrecorded: Set<String> = []
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
    let unrecorded: Set<String>
    let mark: SuiteMark
  }

  init(id: String) {
    local = LocalState(device: id, name: id, machine: "m")
    mark = SuiteMark(id: id)
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
    backup = Backup(
      local: local, suite: suite, knowledge: knowledge, unrecorded: unrecorded, mark: mark)
  }

  mutating func restore() -> Bool {
    guard let backup else { return false }
    (local, suite, knowledge) = (backup.local, backup.suite, backup.knowledge)
    (unrecorded, mark) = (backup.unrecorded, backup.mark)
    return true
  }

  mutating func loseState(id: String) {
    local = LocalState(device: id, name: id, machine: "m")
    knowledge = [:]
    unrecorded = Set(SyncHistory.names)
  }

  mutating func loseSuite(id: String) {
    for name in SyncHistory.names { suite[name] = LocalState.Observed(edit: .remove) }
    mark = SuiteMark(id: id)
    unrecorded = []
  }

  /// Discards the times of removals after a day, as the suite does.
  private mutating func discardTimes(_ clock: SyncClock) {
    for (name, entry) in suite where entry.edit == .remove {
      guard let time = entry.version, time + 86_400_000_000 < clock.now else { continue }
      suite[name]?.version = nil
    }
  }

  /// Notices changes of the suite by a program that knows some of the settings.
  private mutating func notice(
    _ names: [String], _ new: inout LocalState, _ history: inout SyncHistory
  ) -> [String: LocalState.Observed] {
    let clock = clock(history.time)
    new.move(to: machine) { history.newID() }
    new.learn(SyncHistory.resolutions.filter { names.contains($0.key) })
    new.begin(with: mark)
    discardTimes(clock)
    let known = new.noticed
    let entries = suite.filter { names.contains($0.key) }
    let timed = new.notice(entries, clock)
    for (name, entry) in entries where entry.edit == .remove {
      // Its time isn't known, or it counts for nothing since it was never synced here.
      let isLate = entry.version == nil && known[name]?.edit != .remove
      if unrecorded.contains(name), isLate || new.applied[name] == nil {
        history.revoked.insert(name)
      }
    }
    return timed
  }

  /// Makes a pass without the files of the other devices.
  mutating func passOffline(_ names: [String], _ history: inout SyncHistory) {
    var new = local
    _ = notice(names, &new, &history)
    history.steps.append("\(new.device) is offline")
    local = new
  }

  /// Makes a pass, and returns the file that it publishes.
  mutating func pass(
    _ files: [SyncHistory.Publication], _ names: [String], _ death: Death?,
    _ history: inout SyncHistory, change: (inout LocalState, inout SyncHistory) -> Void
  ) throws -> SyncHistory.Publication? {
    let clock = clock(history.time)
    var (new, known) = (local, knowledge)
    let deviceFiles = files.map(\.file)
    let observed = notice(names, &new, &history)
    let isPresent = deviceFiles.contains { $0.device == new.device }
    new.renewIfOutrun(by: deviceFiles, isPresent: isPresent) { history.newID() }
    let concurrent = Set(SyncHistory.names.filter { new.applied[$0] != .value })
    let before = new.state
    _ = new.record(observed, deviceFiles, clock)
    let made = note(before, new, concurrent, &known, &history)
    if let name = made.subtracting(unrecorded).first {
      throw history.fail(
        "\(new.device) records a change of \(name), which no person changed: its suite has "
          + "\(observed[name], default: "nothing"), after "
          + "\(local.applied[name], default: "nothing") with \(before.entries[name] ?? [])")
    }
    let forgotten = files.reduce(new.state.devices.filter(\.value.isForgotten)) { all, file in
      all.merging(file.file.state.devices.filter(\.value.isForgotten)) { old, _ in old }
    }
    let retention = history.weather.isAcquainted ? 0 : LocalState.retention
    new.change(observed) { new in
      let recorded = new.state
      change(&new, &history)
      note(recorded, new, [], &known, &history)
      for file in files where forgotten[file.file.device] == nil {
        if new.state.devices[file.file.device]?.isForgotten == true { continue }
        join(file, clock, &known)
      }
      let changed = new.state
      _ = new.take(deviceFiles, clock, keepingTombstones: retention) { history.newID() }
      note(changed, new, [], &known, &history)
    }
    let mustPublish = new.mustPublish(over: deviceFiles, clock)
    if mustPublish {
      new.countFile(clock)
      new.isPublished = true
    }
    history.steps.append(
      "\(new.device) joins \(deviceFiles.map { "\($0.device):\($0.state.context[$0.device])" })"
        + (names == SyncHistory.names ? "" : " for \(names)")
        + (mustPublish ? ", publishes" : "") + (death.map { ", dies at \($0)" } ?? ""))
    if death == .saving { return nil }
    (local, knowledge) = (new, known)
    unrecorded.subtract(names)
    if death == .publishing { return nil }
    let publication = SyncHistory.Publication(
      file: DeviceFile(device: new.device, state: new.state), knowledge: known)
    let result = mustPublish ? publication : nil
    if death == .applying { return result }
    let wanted = new.wanted(observed)
    let hasTimes = history.weather.hasTimes
    for (name, edit) in wanted { set(name, edit, at: history.time, hasTimes: hasTimes) }
    if death == .confirming { return result }
    for name in wanted.keys { local.applied[name] = .value }
    return result
  }

  /// Adds the changes that this device just made to the model, and returns their settings.
  @discardableResult
  private func note(
    _ old: SyncState, _ new: LocalState, _ concurrent: Set<String>,
    _ known: inout SyncModel.Knowledge, _ history: inout SyncHistory
  ) -> Set<String> {
    let count = old.context[new.device]
    var names: Set<String> = []
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
      if !made.isEmpty { names.insert(name) }
      for entry in made {
        history.model.add(
          SyncModel.Change(
            device: entry.change.device, number: entry.change.number, edit: entry.edit,
            version: entry.version, replaced: Set(replaced)),
          of: name, to: &known)
      }
    }
    return names
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
