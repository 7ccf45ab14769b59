import Defaults

/// What a device remembers between its runs: its id, the joined state, and which values of the
/// state the suite has. Pure, like ``SyncState``.
///
/// It is stored next to the suite's file before it is published and before the suite changes, so a
/// crash at any point neither loses a change nor mistakes one of another device for one of a
/// person.
package struct LocalState: Sendable, Equatable {
  /// An entry of the suite, and the time of its last change if the suite knows it.
  package struct Observed: Sendable, Equatable {
    package var edit: Edit
    package var version: UInt64?

    package init(edit: Edit, version: UInt64? = nil) {
      (self.edit, self.version) = (edit, version)
    }

    /// Returns whether the entry hasn't changed since, not even there and back. Without times, its
    /// value decides.
    func isUnchanged(since old: Self) -> Bool {
      edit == old.edit && (version ?? 0) <= (old.version ?? 0)
    }
  }

  /// What the suite has for a setting that was synced before.
  package enum Applied: Sendable, Equatable {
    /// The value of the state.
    case value
    /// Still this entry: the state's value is about to be applied, or isn't valid here. Or the
    /// other edit, if the sync applied it before it was killed.
    case other(Observed, applying: Edit? = nil)
  }

  /// How long a device has written nothing, as this device sees it.
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
  package var applied: [String: Applied] = [:]
  package var idle: [String: Idleness] = [:]
  /// For how long a setting has had nothing but tombstones, in microseconds.
  package var removed: [String: UInt64] = [:]
  /// The rules of all settings that any program on this machine has synced.
  package var rules: [String: SyncResolution] = [:]
  /// Changes of the suite that wait until the other devices can be reached, with the time at which
  /// they were made or first seen. The suite may lose that time.
  package var noticed: [String: Observed] = [:]
  /// The id that the suite got when it was synced first. Without it, the suite is another one.
  package var suiteID = ""
  /// The ids that this device has on other machines with the same files, by machine.
  package var ids: [String: String] = [:]
  /// The time of the last pass, in microseconds since 1970.
  package var lastPass: UInt64 = 0
  /// Entries of this device that gave way to those of others; see ``SyncState/giveWay(to:)``.
  package var offered: [String: SyncEntry] = [:]

  package init(device: String, name: String, machine: String) {
    self.device = device
    self.machine = machine
    state.devices[device] = SyncDevice(name: name)
  }

  /// The state without what every file changes: its number and time. Devices that only learned of
  /// each other's files have nothing to write, or they would answer each other forever.
  package var lasting: SyncState { Self.lasting(state) }

  package static func lasting(_ state: SyncState) -> SyncState {
    var state = state
    for id in state.devices.keys {
      state.devices[id]?.files = 0
      state.devices[id]?.seen = 0
    }
    return state
  }

  /// Returns whether two states differ in something that must be stored.
  package func differs(from other: Self) -> Bool {
    (device, machine, suiteID) != (other.device, other.machine, other.suiteID)
      || applied != other.applied || offered != other.offered || rules != other.rules
      || noticed != other.noticed || ids != other.ids || lasting != other.lasting
  }
}

// MARK: - The suite's changes

extension LocalState {
  /// Learns the rules of a program. They are kept for programs that don't know the settings.
  package mutating func learn(_ rules: [String: SyncResolution]) {
    self.rules.merge(rules) { _, new in new }
  }

  /// Returns the edit that gives a setting its value.
  package func value(of name: String) -> Edit { state.value(of: name, rules[name] ?? .latest) }

  /// Begins with a suite that isn't the one that was synced, such as a new one after a loss of its
  /// file. What it lacks isn't a removal.
  package mutating func begin(with suiteID: String) {
    guard self.suiteID != suiteID else { return }
    self.suiteID = suiteID
    (applied, noticed) = ([:], [:])
  }

  /// Notices the changes of the suite since the last pass, and when they were made.
  ///
  /// - Returns: The entries with these times.
  package mutating func notice(
    _ observed: [String: Observed], _ clock: SyncClock
  ) -> [String: Observed] {
    var timed = observed
    for (name, current) in observed {
      if !isChanged(name, current) {
        noticed[name] = nil
      } else if let known = noticed[name], known.edit == current.edit, current.version == nil {
        timed[name] = known
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
    case .other(let old, let applying)?:
      current.edit != value(of: name) && current.edit != applying
        && !current.isUnchanged(since: old)
    }
  }

  /// Records the changes of the suite since the last pass.
  ///
  /// - Parameter observed: The entries with the times that ``notice(_:_:)`` returned.
  /// - Returns: Whether there were any.
  package mutating func record(_ observed: [String: Observed], _ clock: SyncClock) -> Bool {
    let before = state.context
    for (name, current) in observed.sorted(by: { $0.key < $1.key }) {
      switch applied[name] {
      case nil:
        // The first contact: the suite's entry was made without knowing those of other devices.
        // Without a known time, it counts as the oldest.
        // Without an entry, only a removal with a known time counts.
        let isRemoved = current.version != nil && state.entries[name] == nil
        if current.edit == .remove ? isRemoved : current.edit != value(of: name) {
          change(name, to: current, at: current.version ?? 1, clock, isConcurrent: true)
        }
      case let old? where isChanged(name, current):
        // A person hasn't seen a value that was about to be applied.
        change(
          name, to: current, at: current.version ?? clock.now, clock, isConcurrent: old != .value)
      case .value?, .other?: break
      }
      applied[name] = value(of: name) == current.edit ? .value : .other(current)
      noticed[name] = nil
    }
    return state.context != before
  }

  private mutating func change(
    _ name: String, to current: Observed, at time: UInt64, _ clock: SyncClock,
    isConcurrent: Bool = false
  ) {
    state.change(
      name, to: current.edit, by: device, at: time, clock, isConcurrent: isConcurrent)
    offered[name] = nil
  }

  /// Makes changes of the state that don't come from the suite. Until the suite has the new values,
  /// its entries aren't changes of a person.
  ///
  /// - Parameter observed: The suite's entries, which ``record(_:_:)`` has recorded.
  package mutating func change<Result>(
    _ observed: [String: Observed], _ body: (inout Self) -> Result
  ) -> Result {
    let shown = applied.keys.reduce(into: [String: Edit]()) { $0[$1] = value(of: $1) }
    let result = body(&self)
    for (name, before) in shown where value(of: name) != before {
      switch applied[name] {
      case .value?:
        // Without an observation, the time of the suite's entry isn't known.
        applied[name] = .other(observed[name] ?? Observed(edit: before, version: SyncClock.limit))
      case .other(let old, applying: nil)? where observed[name] == nil:
        applied[name] = .other(old, applying: before)
      case .other?, nil: break
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
