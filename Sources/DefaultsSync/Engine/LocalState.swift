import Defaults

/// The sync state of a device on its own disk: its id, the joined state of all devices, and which
/// values of it the suite has. Pure, like ``SyncState``.
///
/// It is stored next to the suite's file before this device publishes its file, and before the
/// suite changes. So a crash at any point neither loses a change, nor makes a change of another
/// device look like a change of a person.
package struct LocalState: Sendable, Equatable {
  /// An entry of the suite, and the time of its last change if the suite has this time.
  package struct Observed: Sendable, Equatable {
    package var edit: Edit
    package var version: UInt64?

    package init(edit: Edit, version: UInt64? = nil) {
      (self.edit, self.version) = (edit, version)
    }

    /// Returns whether the entry hasn't changed since it was observed before, not even to another
    /// value and back. Without times, only the values are compared.
    func isUnchanged(since old: Self) -> Bool {
      edit == old.edit && (version ?? 0) <= (old.version ?? 0)
    }
  }

  /// The entry that the suite has for a setting that was synced before.
  package enum Applied: Sendable, Equatable {
    /// The value of the state.
    case value
    /// Still this entry: the state's value is about to be applied, or isn't valid here. If the sync
    /// was killed while it applied an earlier value, the entry may also be that one.
    case other(Observed, applying: Edit? = nil)
    /// Perhaps an older entry than before, since the suite was replaced or has lost changes. An
    /// entry that isn't newer than this time isn't a change of a person.
    case unknown(upTo: UInt64)
  }

  /// How long another device has written nothing.
  package struct Idleness: Sendable, Equatable {
    /// The number of its files when it last wrote.
    package var files: UInt64
    /// In microseconds.
    package var time: UInt64
  }

  package var device: String
  package var state = SyncState()
  /// The machine that this device's id belongs to.
  package var machine: String
  /// Whether this device has written its file, or is about to.
  package var isPublished = false
  package var applied: [String: Applied] = [:]
  package var idle: [String: Idleness] = [:]
  /// How long a removed setting has had only tombstones, in microseconds.
  package var removed: [String: UInt64] = [:]
  /// The rules of all settings that any program on this machine has synced.
  package var rules: [String: SyncResolution] = [:]
  /// Changes of the suite that aren't recorded yet, since the other devices can't be reached. Each
  /// has the time at which it was made or first seen, which the suite may discard.
  package var noticed: [String: Observed] = [:]
  /// The suite's mark when this state was stored.
  package var mark = SuiteMark(id: "")
  /// The ids of this device on other machines that share its files, by machine; on this machine,
  /// the id that it had in a folder that was missing at the last change of the id.
  package var ids: [String: String] = [:]
  /// The time of the last pass, in microseconds since 1970.
  package var lastPass: UInt64 = 0
  /// Entries of this device that were discarded when it returned after it had been forgotten, or
  /// when another machine had the same id.
  package var offered: [String: SyncEntry] = [:]

  package init(device: String, name: String, machine: String) {
    self.device = device
    self.machine = machine
    state.devices[device] = SyncDevice(name: name)
  }

  /// The state without the numbers and times of files, which each new file changes, and without the
  /// names of devices. A device whose other state is unchanged writes no file, or the devices would
  /// answer each other forever.
  package var lasting: SyncState { Self.lasting(state) }

  package static func lasting(_ state: SyncState) -> SyncState {
    var state = state
    for id in state.devices.keys {
      state.devices[id] = SyncDevice(name: "", isForgotten: state.devices[id]?.isForgotten == true)
    }
    return state
  }

  /// Returns whether this state must be stored in place of another. The times that a device has
  /// written nothing, and that a setting is removed, are stored on each day with a pass: more than
  /// a week since the stored pass doesn't count.
  package func differs(from other: Self) -> Bool {
    (device, machine, isPublished) != (other.device, other.machine, other.isPublished)
      || mark != other.mark
      || applied != other.applied || offered != other.offered || rules != other.rules
      || noticed != other.noticed || ids != other.ids || lasting != other.lasting
      || lastPass / Self.day != other.lastPass / Self.day
  }
}

// MARK: - The suite's changes

extension LocalState {
  /// Adds the rules of a program's keys. They also apply in programs without these keys.
  package mutating func learn(_ rules: [String: SyncResolution]) {
    guard rules.contains(where: { self.rules[$0.key] != $0.value }) else { return }
    // A value that only another rule gives isn't a change of a person.
    change([:]) { $0.rules.merge(rules) { _, new in new } }
  }

  /// Returns the edit that gives a setting its value.
  package func value(of name: String) -> Edit { state.value(of: name, rules[name] ?? .latest) }

  /// Continues with a suite with this mark. If the suite was replaced, or has lost changes such as
  /// by damage of its files, the entries that it lacks aren't removals, and its older entries
  /// aren't changes.
  package mutating func begin(with suite: SuiteMark) {
    if !suite.isComplete(for: mark) {
      for (name, known) in applied {
        // A change since the loss was noticed already.
        if case .unknown = known { continue }
        applied[name] = .unknown(upTo: lastPass)
      }
    }
    // The number of a lost mark isn't used again.
    let number = suite.id == mark.id ? max(suite.number, mark.number) : suite.number
    mark = SuiteMark(id: suite.id, number: number)
  }

  /// Notes the times of the suite's changes since the last pass.
  ///
  /// - Returns: The entries with these times.
  package mutating func notice(
    _ observed: [String: Observed], _ clock: SyncClock
  ) -> [String: Observed] {
    var timed = observed
    for (name, current) in observed {
      // The known time of an entry whose own time is unknown.
      let known = current.version == nil ? noticed[name] : nil
      if let known, known.edit == current.edit, isChanged(name, known) {
        timed[name] = known
      } else if !isChanged(name, current) {
        noticed[name] = nil
      } else {
        let change = Observed(edit: current.edit, version: current.version ?? clock.now)
        (noticed[name], timed[name]) = (change, change)
      }
    }
    return timed
  }

  /// Returns whether a person has changed a setting that was synced before.
  private func isChanged(_ name: String, _ current: Observed) -> Bool {
    switch applied[name] {
    case nil: false
    case .value?: current.edit != value(of: name)
    case .other(let old, let applying)? where applying == old.edit:
      // No program has tried to apply a value, so a person made the change, even to that value.
      current.edit != old.edit
    case .other(let old, let applying)?:
      current.edit != value(of: name) && current.edit != applying
        && !current.isUnchanged(since: old)
    case .unknown(let time)?:
      current.edit != .remove && current.edit != value(of: name) && (current.version ?? 0) > time
    }
  }

  /// Records the changes of the suite since the last pass.
  ///
  /// - Parameters:
  ///   - observed: The entries with the times that ``notice(_:_:)`` returned.
  ///   - files: All files. At the first contact, a value that a used file has isn't a change: this
  ///     device may have got it from there, and lost its state.
  ///   - clock: The clock.
  /// - Returns: Whether there were any.
  package mutating func record(
    _ observed: [String: Observed], _ files: [DeviceFile], _ clock: SyncClock
  ) -> Bool {
    let before = state.context
    let isFirstContact = observed.contains { applied[$0.key] == nil && $0.value.edit != .remove }
    let used = isFirstContact ? usedStates(of: files, clock) : []
    for (name, current) in observed.sorted(by: { $0.key < $1.key }) {
      let isFirst = applied[name] == nil
      if isFirst ? isFirstChange(name, current, used) : isChanged(name, current) {
        // At the first contact, an entry without a known time counts as the oldest. Until the suite
        // has the state's value, a person's change was made without knowing it.
        state.change(
          name, to: current.edit, by: device, at: current.version ?? (isFirst ? 1 : clock.now),
          clock, isConcurrent: applied[name] != .value)
        offered[name] = nil
      }
      applied[name] = value(of: name) == current.edit ? .value : .other(current)
      noticed[name] = nil
    }
    return state.context != before
  }

  /// Returns whether the entry of a setting that wasn't synced before is a change of a person.
  private func isFirstChange(
    _ name: String, _ current: Observed, _ used: [SyncState]
  ) -> Bool {
    // A removal before the first sync must not remove another device's value.
    current.edit != .remove && current.edit != value(of: name)
      && !used.contains { state in
        state.entries[name]?.contains { $0.edit == current.edit } == true
      }
  }

  /// Returns the states of the files that will be joined, without the settings that wait. An entry
  /// that isn't joined gives the setting no value, so the suite's equal value would be removed.
  private func usedStates(of files: [DeviceFile], _ clock: SyncClock) -> [SyncState] {
    var joined = state
    let arrival = joined.take(files, by: device, clock)
    return files.compactMap { file in
      let isForgotten = joined.devices[file.device]?.isForgotten == true
      if isForgotten || arrival.tooLarge.contains(file.device) { return nil }
      var state = file.state
      _ = state.holdBack(clock)
      return state
    }
  }

  /// Makes changes of the state that don't come from the suite. Until the suite has the new values,
  /// its entries aren't changes of a person.
  ///
  /// - Parameter observed: The suite's entries, which ``record(_:_:)`` has recorded.
  package mutating func change<Result>(
    _ observed: [String: Observed], _ body: (inout Self) -> Result
  ) -> Result {
    let shown = applied.keys.reduce(into: [String: Edit]()) { $0[$1] = value(of: $1) }
    let entries = state.entries
    let result = body(&self)
    for (name, before) in shown {
      // The suite of a program without the key may have a change that isn't recorded yet. It was
      // made without knowing new entries, even if they have the same value.
      let isNew = observed[name] == nil && state.entries[name] != entries[name]
      guard isNew || value(of: name) != before else { continue }
      switch applied[name] {
      case .value?:
        if let current = observed[name] {
          applied[name] = .other(current)
        } else {
          // The time of the suite's entry isn't known. No program has tried to apply another value.
          applied[name] = .other(Observed(edit: before, version: SyncClock.limit), applying: before)
        }
      case .other(let old, applying: nil)? where observed[name] == nil:
        applied[name] = .other(old, applying: before)
      case .other?, .unknown?, nil: break
      }
    }
    return result
  }

  /// Decides between the entries of a conflict.
  package mutating func decide(_ name: String, for edit: Edit, _ clock: SyncClock) {
    state.change(name, to: edit, by: device, at: clock.now, clock)
    offered[name] = nil
  }
}
