import Defaults

// The state that devices exchange, and its rules. Everything in this folder is pure: no I/O, no
// lock, no clock. Each function depends only on its arguments.
//
// **Changes.** Every change of a setting has an author (a device) and a number (1, 2, 3, … for each
// author). It replaces exactly those entries of the setting that its author knew. A removal is a
// change, too: its entry is a tombstone.
//
// **State.** A state has the entries of each setting that no known change has replaced: usually one
// entry, several after concurrent changes. Its context has, for each author, the number up to which
// the author's changes are known. A change in the context without an entry was replaced or
// collected. It never comes back, even if an old file still has its entry.
//
// **Join.** An entry of one state stays unless the other state knows the entry's change and has no
// entry for it. The joined context has the greater number of each author. A join is idempotent,
// commutative and associative, so the order, number and age of the files that arrive don't matter.
// It ignores clocks.
//
// **Resolution.** Among concurrent entries the newest version wins, and the device id decides
// between equal versions. `union` and `max` combine the entries, and `ask` shows the newest until a
// person decides. The state determines the value, so devices with equal states have equal values.
//
// **Clocks.** A version is the time of a change in microseconds, or one more than the newest
// version that the change replaced. If an entry of another device is more than ten minutes ahead of
// this device's clock, its setting keeps its known entries until the clock gets there or the other
// device corrects the entry. A device whose own clock was ahead publishes its entries again, as
// changes of the corrected time, which replace the wrong entries on all devices.
//
// **Collection.** A tombstone that all known devices know is discarded after 30 days: no device can
// then have an older entry that the removal hasn't replaced. A device that writes nothing for a
// year is forgotten: its files are ignored. If it comes back, it gets a new id and the state of the
// other devices, and offers the changes that only it knows as conflicts.

/// The synced settings of all devices, as far as one device knows them.
package struct SyncState: Sendable, Equatable {
  /// The entries of each setting that no known change has replaced, in ascending order. Never
  /// empty: a setting whose tombstone was collected has no element.
  package private(set) var entries: [String: [SyncEntry]] = [:]
  /// The known changes of all authors.
  package private(set) var context = SyncContext()
  /// The known changes of each setting with a change that isn't used yet; less than ``context``.
  package private(set) var held: [String: SyncContext] = [:]
  /// The devices, including this one and forgotten ones.
  package var devices: [String: SyncDevice] = [:]

  package init() {}

  /// Creates a state from the content of a file. Nil if it isn't the state of any device: an entry
  /// isn't in its context, or a part has more changes than the whole.
  package init?(
    entries: [String: [SyncEntry]], context: SyncContext, held: [String: SyncContext],
    devices: [String: SyncDevice]
  ) {
    guard held.values.allSatisfy({ context.contains($0) && $0 != context }) else { return nil }
    for (name, list) in entries {
      let known = held[name] ?? context
      guard !list.isEmpty,
        list.count == 1 || Set(list.map(\.change)).count == list.count,
        list.allSatisfy({ known.contains($0.change) })
      else { return nil }
    }
    self.entries = entries.mapValues { $0.count == 1 ? $0 : $0.sorted() }
    (self.context, self.held, self.devices) = (context, held, devices)
  }

  /// Returns the known changes of a setting.
  package func context(of name: String) -> SyncContext { held[name] ?? context }

  /// The approximate size of the state in a file, in bytes.
  package var size: Int {
    entries.reduce(0) { size, setting in
      setting.value.reduce(size + setting.key.utf8.count + 8) { $0 + $1.size }
    } + (held.count + 1) * 24 * (context.count + 1) + devices.values.reduce(0) { $0 + $1.size }
  }

  /// Replaces the entries of a setting.
  mutating func put(_ list: [SyncEntry], named name: String) {
    entries[name] = list.isEmpty ? nil : list
  }

  /// Makes this a state that knows nothing about a setting.
  mutating func forget(_ name: String) {
    entries[name] = nil
    held[name] = SyncContext()
  }

  /// Adds the next change of a device to the contexts of all settings.
  mutating func addChange(of device: String) -> SyncChange {
    let change = SyncChange(device: device, number: context[device] + 1)
    context.insert(change)
    // Also of the other settings, which the device doesn't change by it. Otherwise, a part would
    // stay less than the whole.
    for name in held.keys { held[name]?.insert(change) }
    // The file of a state with a part that isn't less than the whole can't be read.
    held = held.filter { $0.value != context }
    return change
  }
}

// MARK: - Join

extension SyncState {
  /// Adds what another state knows. Idempotent, commutative and associative.
  ///
  /// - Complexity: Linear in the number of settings of both.
  package mutating func join(_ other: Self) {
    for (name, theirs) in other.entries {
      let mine = entries[name] ?? []
      if mine == theirs { continue }
      put(
        Self.merged(mine, context(of: name), theirs, other.context(of: name)), named: name)
    }
    for (name, mine) in entries where other.entries[name] == nil {
      let known = other.context(of: name)
      let rest = mine.filter { !known.contains($0.change) }
      if rest.count < mine.count { put(rest, named: name) }
    }
    joinContexts(of: other)
    devices.merge(other.devices) { $0.joined(with: $1) }
  }

  private mutating func joinContexts(of other: Self) {
    let whole = context.union(other.context)
    var parts: [String: SyncContext] = [:]
    for name in Set(held.keys).union(other.held.keys) {
      let part = context(of: name).union(other.context(of: name))
      if part != whole { parts[name] = part }
    }
    (context, held) = (whole, parts)
  }

  private static func merged(
    _ mine: [SyncEntry], _ context: SyncContext,
    _ theirs: [SyncEntry], _ otherContext: SyncContext
  ) -> [SyncEntry] {
    if mine.isEmpty { return theirs.filter { !context.contains($0.change) } }
    let found = mine.count + theirs.count > 40 ? Self.byChange(theirs) : nil
    let kept = mine.compactMap { entry in
      let other =
        found.map { $0[entry.change] } ?? theirs.first { $0.change == entry.change }
      // Equal, unless two machines had the same id, as after a copy of a disk.
      if let other { return max(entry, other) }
      return otherContext.contains(entry.change) ? nil : entry
    }
    // What this state has already is in its context.
    let new = theirs.filter { !context.contains($0.change) }
    let joined = (kept + new).sorted()
    // Entries can't replace each other, unless two machines had the same id. Then the newest stays.
    return joined.isEmpty ? (mine + theirs).max().map { [$0] } ?? [] : joined
  }

  private static func byChange(_ entries: [SyncEntry]) -> [SyncChange: SyncEntry] {
    Dictionary(entries.map { ($0.change, $0) }, uniquingKeysWith: max)
  }
}
