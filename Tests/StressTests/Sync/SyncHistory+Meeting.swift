import Defaults
import DefaultsSync

extension SyncHistory {
  /// Corrects all clocks and lets the devices see all files, until they write nothing more. Then
  /// all must have the same state, and the values of the model.
  mutating func meet() throws {
    steps.append("all meet")
    for index in devices.indices { devices[index].clockError = 0 }
    var round = 0
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      round += 1
      guard round < 30 else { throw fail("the devices never come to rest") }
      for index in devices.indices where !devices[index].hasVanished {
        time += 1_000_000
        let files = published.values.compactMap(\.last)
        let count = published.values.reduce(0) { $0 + $1.count }
        let suite = devices[index].suite
        try pass(index, files)
        isQuiet =
          isQuiet && count == published.values.reduce(0) { $0 + $1.count }
          && suite == devices[index].suite
      }
    }
    try compare()
  }

  private func compare() throws {
    let present = devices.filter { !$0.hasVanished }
    guard let first = present.first else { return }
    for device in present {
      guard device.local.lasting.entries == first.local.lasting.entries,
        device.local.state.context == first.local.state.context
      else { throw fail("\(device.local.device) and \(first.local.device) differ at the end") }
      for name in Self.names {
        let value = first.local.state.value(of: name, Self.resolutions[name] ?? .latest)
        guard device.suite[name]?.edit == value else {
          throw fail("the suite of \(device.local.device) lacks \(value) for \(name)")
        }
        guard device.local.applied[name] == .value else {
          throw fail("\(device.local.device) doesn't know that its suite has \(name)")
        }
      }
    }
    for (name, entries) in first.local.state.entries {
      for entry in entries where entry.version > time + SyncClock.tolerance {
        guard devices.contains(where: \.hasVanished) || weather.hasRestores else {
          throw fail("\(name) still has a version ahead of all clocks")
        }
      }
      // Every device knows the removal.
      if weather.isAcquainted, entries.allSatisfy({ $0.edit == .remove }), !weather.hasVanishing,
        !weather.hasRestores
      {
        throw fail("the tombstone of \(name) isn't collected")
      }
    }
    try compareWithTime(first)
  }

  /// With right clocks and times, the last change by any device wins.
  private func compareWithTime(_ device: SyncHistoryDevice) throws {
    guard !weather.hasClockErrors, !weather.hasRestores, !weather.hasVanishing,
      !weather.hasForgetting, weather.hasTimes
    else { return }
    for name in ["latest", "other"] where !revoked.contains(name) {
      let value = device.local.state.value(of: name, .latest)
      // Only here, a removal is discarded before all devices have recorded their older changes.
      if weather.isAcquainted, newest[name] == .remove { continue }
      guard value == newest[name] ?? .remove else {
        throw fail("\(name) is \(value), but was last set to \(newest[name] ?? .remove)")
      }
    }
  }
}
