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
    /// Still this entry: the state's value is about to be applied, or isn't valid here.
    case other(Observed)
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
    (device, machine) != (other.device, other.machine) || applied != other.applied
      || offered != other.offered || lasting != other.lasting
  }
}

// MARK: - The suite's changes

extension LocalState {
  /// Records the changes of the suite since the last pass.
  ///
  /// - Returns: Whether there were any.
  package mutating func record(
    _ observed: [String: Observed], _ resolutions: [String: SyncResolution], _ clock: SyncClock
  ) -> Bool {
    let before = state.context
    for (name, current) in observed.sorted(by: { $0.key < $1.key }) {
      let resolution = resolutions[name] ?? .latest
      let shown = state.value(of: name, resolution)
      switch applied[name] {
      case nil:
        // The first contact: the suite's entry was made without knowing those of other devices.
        // Without a known time, it counts as the oldest.
        // Without an entry, only a removal with a known time counts.
        let isRemoved = current.version != nil && state.entries[name] == nil
        if current.edit == .remove ? isRemoved : current.edit != shown {
          change(name, to: current, at: current.version ?? 1, clock, isConcurrent: true)
        }
      case .value?:
        if current.edit != shown {
          change(name, to: current, at: current.version ?? clock.now, clock)
        }
      case .other(let old)?:
        if current.edit == shown { break }
        if current.isUnchanged(since: old) { continue }
        // The person hasn't seen the value that was about to be applied.
        change(name, to: current, at: current.version ?? clock.now, clock, isConcurrent: true)
      }
      applied[name] =
        state.value(of: name, resolution) == current.edit ? .value : .other(current)
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

  /// Decides between the entries of a conflict.
  package mutating func decide(_ name: String, for edit: Edit, _ clock: SyncClock) {
    state.change(name, to: edit, by: device, at: clock.now, clock)
    offered[name] = nil
  }
}
