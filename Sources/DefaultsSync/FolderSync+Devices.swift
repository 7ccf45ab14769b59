import Defaults
import Foundation

extension Defaults {
  /// A device that syncs settings.
  public struct SyncedDevice: Sendable, Hashable, Identifiable {
    /// The id, which is the name of its file.
    public let id: String
    /// The name of the machine.
    public let name: String
    /// The time at which the device last wrote its file, by its own clock; nil if it has never
    /// written the file.
    public let lastSeen: Date?
    /// The number of synced settings whose value it has changed last.
    public let settings: Int
    /// Whether it is the device of this program.
    public let isThis: Bool
  }
}

extension Defaults.FolderSync {
  /// The devices as of the last sync, this one first, the others by name.
  public var devices: [Defaults.SyncedDevice] {
    guard let local = view.withLock({ $0.local }) else { return [] }
    var counts: [String: Int] = [:]
    for entries in local.state.entries.values {
      if let newest = entries.last { counts[newest.change.device, default: 0] += 1 }
    }
    let known = local.state.devices.filter { !$0.value.isForgotten }
    return known.map { id, device in
      Defaults.SyncedDevice(
        id: id, name: device.name,
        lastSeen: device.seen == 0
          ? nil : Date(timeIntervalSince1970: Double(device.seen) / 1e6),
        settings: counts[id] ?? 0, isThis: id == local.device)
    }.sorted {
      ($0.isThis ? 0 : 1, $0.name, $0.id) < ($1.isThis ? 0 : 1, $1.name, $1.id)
    }
  }

  /// Gives up a device that doesn't come back: its file is no longer read, and removals no longer
  /// wait for that device. The changes that this device has received from it stay.
  ///
  /// The file stays, too; remove it if you like. If the forgotten device comes back, it gets a new
  /// id and the settings of the other devices. Changes that no other device has received become
  /// ``conflicts``. If `device` is this device itself, the call only syncs. The call takes as long
  /// as two calls of ``now()``.
  ///
  /// - Throws: The same errors as ``now()``.
  public func forget(_ device: Defaults.SyncedDevice) throws(Defaults.SuiteError) {
    // First, this device joins the changes of the other device that have arrived.
    do throws(SuiteError) {
      try now()
    } catch {
      // The next call stores that the device is given up, even if no file is published.
      guard error.code == .tooLargeToSync else { throw error }
    }
    try now { local, _ in
      guard device.id != local.device else { return }
      local.state.devices[device.id]?.isForgotten = true
    }
  }
}

// MARK: - Issues

extension SyncEngine.Report {
  /// The problems of a pass and its result, as issues.
  func issues(
    _ local: LocalState?, _ conflicts: Set<Defaults.SyncConflict>, suite: String
  ) -> [SuiteError] {
    var issues = problems
    if let damage { issues.append(damage) }
    if let obstacle, [.unreadable, .unwritable, .tooLargeToSync].contains(obstacle.code) {
      issues.append(obstacle)
    }
    for (device, names) in arrival.waiting.sorted(by: { $0.key < $1.key }) {
      let name = local?.name(of: device) ?? device
      issues.append(
        SuiteError(
          .clockAhead,
          "The clock of \(name) (\(device)) is more than ten minutes ahead of this "
            + "device's clock, so its changes of \(names.count) settings wait. Correct the wrong "
            + "clock",
          suite: suite))
    }
    for device in arrival.tooLarge.sorted() {
      issues.append(
        SuiteError(
          .tooLargeToSync,
          "The state of \(local?.name(of: device) ?? device) (\(device)) isn't used, because with "
            + "it this device's file would have too many bytes or devices. Remove the other "
            + "device's file",
          suite: suite))
    }
    if arrival.isForgotten {
      issues.append(
        SuiteError(
          .forgotten,
          "The other devices have forgotten this device, which now has their settings. The changes "
            + "that only this device had are conflicts", suite: suite))
    }
    for conflict in conflicts.sorted(by: { $0.name < $1.name }) {
      let devices = Set(conflict.candidates.map(\.device)).sorted().joined(separator: ", ")
      issues.append(
        SuiteError(
          .syncConflict,
          "Several devices changed the setting (\(devices)). The newest value is used until a "
            + "value is chosen", suite: suite, key: conflict.name))
    }
    return issues
  }
}

extension [SuiteError] {
  /// Returns these problems and other problems of earlier passes. Conflicts and entries that can't
  /// be synced are found without the files, so earlier ones don't count.
  func adding(_ earlier: Self) -> Self {
    let found = Set(map(\.description))
    return self
      + earlier.filter {
        ![.syncConflict, .unrepresentable].contains($0.code) && !found.contains($0.description)
      }
  }
}
