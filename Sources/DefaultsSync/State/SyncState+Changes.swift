import Defaults

/// The time of a device in microseconds since 1970, to compare versions with.
package struct SyncClock: Sendable {
  /// An entry whose version is further ahead isn't used yet.
  package static let tolerance: UInt64 = 600_000_000
  /// The beginning of the year 2500. A later version is damage.
  package static let limit: UInt64 = 16_725_225_600_000_000

  package let now: UInt64

  package init(now: UInt64) { self.now = min(now, Self.limit) }

  /// Returns whether a version is too far ahead.
  package func isAhead(_ version: UInt64) -> Bool { version > now + Self.tolerance }
}

extension SyncState {
  /// Makes a change by a device that knows this state.
  ///
  /// - Parameters:
  ///   - name: The name of the setting.
  ///   - edit: The new entry, or its removal.
  ///   - device: The device.
  ///   - time: The time of the change, in microseconds since 1970. A time that is too far ahead
  ///     counts as now.
  ///   - clock: The device's clock.
  ///   - isConcurrent: Whether the change was made without knowing the entries of other devices, as
  ///     on a device that joins with settings of its own. It then replaces only its own entries.
  package mutating func change(
    _ name: String, to edit: Edit, by device: String, at time: UInt64, _ clock: SyncClock,
    isConcurrent: Bool = false
  ) {
    let all = entries[name] ?? []
    let known = isConcurrent ? all.filter { $0.change.device == device } : all
    // An entry that is too far ahead doesn't count: the change replaces it with an earlier version.
    let newest = known.lazy.map(\.version).filter { !clock.isAhead($0) }.max() ?? 0
    let time = clock.isAhead(time) ? clock.now : time
    let entry = SyncEntry(
      edit: edit, version: max(time, newest + 1), change: addChange(of: device),
      replaced: known.last?.version ?? 0)
    put((all.filter { !known.contains($0) } + [entry]).sorted(), named: name)
  }

  // MARK: - Clocks

  /// Removes the settings with an entry that is too far ahead of a clock from a state that has
  /// arrived. A join with the rest doesn't change these settings.
  ///
  /// - Returns: Their names, by the author of an entry that is too far ahead.
  package mutating func holdBack(_ clock: SyncClock) -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for (name, list) in entries {
      let ahead = list.filter { clock.isAhead($0.version) }
      for entry in ahead { names[entry.change.device, default: []].insert(name) }
      if !ahead.isEmpty { forget(name) }
    }
    return names
  }

  /// Corrects the versions of entries that are too far ahead of this device's corrected clock.
  ///
  /// An entry by this device becomes a change of now. An entry by another device, which this device
  /// accepted while its clock was ahead, gets the time just after the entry that it replaced, so
  /// that the correction by its author wins. Without another device, or while the others contradict
  /// this clock, which is then probably wrong, nothing is corrected.
  ///
  /// - Returns: The names of the settings.
  package mutating func correct(for device: String, _ clock: SyncClock) -> [String] {
    let ahead = entries.filter { $0.value.contains { clock.isAhead($0.version) } }
    guard !ahead.isEmpty, isTrusted(clock, of: device) else { return [] }
    for (name, list) in ahead.sorted(by: { $0.key < $1.key }) {
      let right = list.filter { !clock.isAhead($0.version) }
      let wrong = list.filter { clock.isAhead($0.version) }
      let newest = right.last?.version ?? 0
      var corrected = right
      for entry in wrong {
        let isOwn = entry.change.device == device
        let base = clock.isAhead(entry.replaced) ? 0 : entry.replaced
        corrected.append(
          SyncEntry(
            edit: entry.edit, version: isOwn ? max(clock.now, newest + 1) : base + 1,
            change: addChange(of: device), replaced: base))
      }
      put(corrected.sorted(), named: name)
    }
    return ahead.keys.sorted()
  }

  /// Returns whether to trust a clock: another device that isn't ahead of it wrote within a week,
  /// or at most half of the other devices are ahead of it.
  ///
  /// One device in the last week is enough, or else former ids of a device whose clock was ahead
  /// would outvote the others.
  private func isTrusted(_ clock: SyncClock, of device: String) -> Bool {
    let others = devices.filter { $0.key != device && !$0.value.isForgotten }.values
    let isConfirmed = others.contains {
      !clock.isAhead($0.seen) && $0.seen + LocalState.heartbeat > clock.now
    }
    return isConfirmed
      || !others.isEmpty && 2 * others.count { clock.isAhead($0.seen) } <= others.count
  }

  // MARK: - Collection

  /// The settings that have nothing but tombstones.
  package var removedNames: [String] {
    entries.filter { $0.value.allSatisfy { $0.edit == .remove } }.map(\.key)
  }

  /// Discards the tombstones that all devices know.
  ///
  /// - Parameters:
  ///   - names: The settings whose tombstones are old enough.
  ///   - states: The latest known states of all other devices that aren't forgotten. With one
  ///     missing, nothing may be collected.
  package mutating func collect(_ names: Set<String>, knownBy states: [SyncState]) {
    for name in names {
      let list = entries[name] ?? []
      let isKnown = states.allSatisfy { state in
        let context = state.context(of: name)
        return list.allSatisfy { context.contains($0.change) }
      }
      if isKnown, list.allSatisfy({ $0.edit == .remove }) { put([], named: name) }
    }
  }
}
