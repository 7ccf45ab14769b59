import Defaults
import Foundation

extension LocalState {
  /// A day in microseconds.
  static let day: UInt64 = 86_400_000_000
  /// A device that writes nothing for this long, in microseconds, is forgotten.
  static let longestAbsence: UInt64 = 365 * day
  /// A tombstone that all known devices know is still kept for this long, in microseconds, since
  /// the files of another device may not have arrived yet.
  package static let retention: UInt64 = 30 * day
  /// Each device writes its file at least this often, in microseconds.
  static let heartbeat: UInt64 = 7 * day

  /// Joins the files that have arrived. Call it in ``change(_:_:)``.
  ///
  /// - Parameters:
  ///   - files: All files, also this device's own.
  ///   - clock: The clock.
  ///   - retention: The time for which a tombstone is kept at least, in microseconds.
  ///   - newID: Returns a random id, for a device that needs another one.
  package mutating func take(
    _ files: [DeviceFile], _ clock: SyncClock,
    keepingTombstones retention: UInt64 = Self.retention, newID: () -> String
  ) -> SyncArrival {
    let arrival = state.take(files, by: device, clock)
    if arrival.isForgotten {
      takeID(newID())
      giveWay(to: files, clock)
    }
    _ = state.correct(for: device, clock)
    let elapsed = timeSinceLastPass(clock)
    forgetIdle(elapsed)
    removed = state.removedNames.reduce(into: [:]) { $0[$1] = (removed[$1] ?? 0) + elapsed }
    let old = Set(removed.filter { $0.value >= retention }.keys)
    state.collect(old, with: files, by: device, clock)
    return arrival
  }

  /// Takes a new id if a file has other changes of this device than this state, since the disk was
  /// restored or copied. Call it before changes are recorded: the number of a change must not be
  /// used twice. Entries of this device that a join with the file removes are offered.
  ///
  /// - Parameters:
  ///   - files: All files.
  ///   - isPresent: Whether this device's own file exists, though it may be damaged. Without it,
  ///     the shared folder may not have been carried to a restored disk yet.
  ///   - newID: Returns a random id.
  package mutating func renewIfOutrun(
    by files: [DeviceFile], isPresent: Bool, newID: () -> String
  ) {
    let own = state.context[device]
    let isOutrun = files.contains { $0.state.context[device] > own }
    let lost = entriesThatAreMissing(in: files)
    if isOutrun || !lost.isEmpty {
      offered.merge(lost) { _, new in new }
      return takeID(newID())
    }
    if isPresent { return }
    // Another folder, or the folder that was missing: continue with the id that is known there.
    if let id = ids[machine], files.contains(where: { $0.device == id }),
      files.allSatisfy({ $0.state.context[id] <= state.context[id] }),
      state.devices[id]?.isForgotten != true
    {
      if !isPublished, state.context[device] == 0 { state.devices[device] = nil }
      ids[machine] = isPublished ? device : nil
      (device, isPublished) = (id, true)
    } else if isPublished {
      ids[machine] = device
      takeID(newID())
    }
  }

  /// Returns the entries of this device that a file lacks, although its device knows changes of
  /// their numbers. Either another machine with the same id made these changes, or the settings
  /// were removed after the backup of a restored disk, and their tombstones collected. An older
  /// file of this machine has every entry that still exists.
  private func entriesThatAreMissing(in files: [DeviceFile]) -> [String: SyncEntry] {
    var missing: [String: SyncEntry] = [:]
    for file in files {
      for (name, list) in state.entries where file.state.entries[name] == nil {
        let known = file.state.context(of: name)
        let entry = list.last {
          $0.change.device == device && $0.edit != .remove && known.contains($0.change)
        }
        if let entry { missing[name] = entry }
      }
    }
    return missing
  }

  /// Replaces the id of this device. The entries keep their authors.
  package mutating func takeID(_ id: String) {
    let name = state.devices[device]?.name ?? ""
    (device, isPublished) = (id, false)
    if state.devices[id] == nil { state.devices[id] = SyncDevice(name: name) }
  }

  /// Switches to the id of a machine: a new id for a new machine, otherwise the id that the machine
  /// had with these files.
  package mutating func move(to machine: String, newID: () -> String) {
    guard machine != self.machine else { return }
    ids[self.machine] = device
    self.machine = machine
    takeID(ids.removeValue(forKey: machine) ?? newID())
  }

  /// The edits that give the suite the values of the state.
  package func wanted(_ observed: [String: Observed]) -> [String: Edit] {
    observed.reduce(into: [:]) { wanted, entry in
      let value = value(of: entry.key)
      if value != entry.value.edit { wanted[entry.key] = value }
    }
  }

  private mutating func giveWay(to files: [DeviceFile], _ clock: SyncClock) {
    var others = SyncState()
    let remaining = files.filter { state.devices[$0.device]?.isForgotten != true }
    // Without any other device, there is nothing to give way to.
    guard !remaining.isEmpty else { return }
    _ = others.take(remaining, by: "", clock)
    offered.merge(state.giveWay(to: others, as: device)) { _, new in new }
  }

  /// Returns the time since the last pass. More than a week doesn't count, so that nothing expires
  /// when a clock jumps ahead, as on a machine whose clock starts in 1970.
  private mutating func timeSinceLastPass(_ clock: SyncClock) -> UInt64 {
    defer { lastPass = clock.now }
    guard clock.now > lastPass, clock.now - lastPass <= Self.heartbeat else { return 0 }
    return clock.now - lastPass
  }

  /// Measures how long each other device has written nothing. After a year, it is forgotten if
  /// another one has written within a month. Otherwise, this device may be the one whose files
  /// aren't carried, and the others must not give way to its old settings.
  private mutating func forgetIdle(_ elapsed: UInt64) {
    let others = state.devices.filter { $0.key != device && !$0.value.isForgotten }
    for (id, other) in others {
      if let known = idle[id], known.files >= other.files {
        idle[id]?.time = known.time + elapsed
      } else {
        idle[id] = Idleness(files: other.files, time: 0)
      }
    }
    let times = others.keys.map { (id: $0, time: idle[$0]?.time ?? 0) }
    guard times.contains(where: { $0.time <= Self.retention }) else { return }
    for (id, time) in times where time > Self.longestAbsence {
      state.devices[id]?.isForgotten = true
    }
  }

  /// Returns whether this device's file must be written: it is missing, outdated or a week old.
  package func mustPublish(over files: [DeviceFile], _ clock: SyncClock) -> Bool {
    let own = files.filter { $0.device == device }
    guard own.contains(where: { Self.lasting($0.state) == lasting }) else { return true }
    let seen = state.devices[device]?.seen ?? 0
    return clock.isAhead(seen) || clock.now > seen + Self.heartbeat
  }

  /// Returns whether this device has written its file within a duration, in microseconds.
  package func hasPublished(within duration: UInt64, _ clock: SyncClock) -> Bool {
    let seen = state.devices[device]?.seen ?? 0
    return seen <= clock.now && clock.now - seen < duration
  }

  /// Notes the number and the time of this device's next file.
  package mutating func countFile(_ clock: SyncClock) {
    state.devices[device]?.files += 1
    state.devices[device]?.seen = clock.now
  }

  /// Returns the content of this device's file; nil, with an obstacle, if it is too large.
  func publication(_ report: inout SyncEngine.Report) -> Data? {
    let data = DeviceFile(device: device, state: state).data
    guard
      data.count > DeviceFile.publishedSize || state.devices.count > DeviceFile.mostDevices
    else { return data }
    report.obstacle = SuiteError(
      .tooLargeToSync,
      // Not in bytes, which differ a little at each pass, so that this would be another issue.
      "This device's settings take \(data.count >> 10) KiB for \(state.devices.count) devices, and "
        + "at most \(DeviceFile.publishedSize >> 10) KiB and \(DeviceFile.mostDevices) devices are "
        + "published. Sync fewer or smaller settings")
    return nil
  }
}
