import Defaults

/// What a device found out from the files of the others.
package struct SyncArrival: Sendable, Equatable {
  /// The settings that wait, by the device whose file has entries too far ahead.
  package var waiting: [String: Set<String>] = [:]
  /// The devices whose files would make this device's file larger than the limit.
  package var tooLarge: Set<String> = []
  /// Whether another device has forgotten this one. It must take a new id and give way.
  package var isForgotten = false
}

extension SyncState {
  /// The largest state that is published, approximately: some room is left for this device's own
  /// changes.
  private static let roomyLimit = DeviceFile.maximumSize / 8 * 7

  /// Joins the files that this device found, also older ones and several of one device.
  ///
  /// - Parameters:
  ///   - files: The files, in any order.
  ///   - device: This device.
  ///   - clock: Its clock.
  package mutating func take(
    _ files: [DeviceFile], by device: String, _ clock: SyncClock
  ) -> SyncArrival {
    var arrival = SyncArrival()
    // First, so that a file of a forgotten device doesn't count, whichever comes first.
    for file in files { devices.merge(file.state.devices) { $0.joined(with: $1) } }
    arrival.isForgotten = devices[device]?.isForgotten == true
    for file in files where devices[file.device]?.isForgotten != true {
      var state = file.state
      let waiting = state.holdBack(clock)
      if !waiting.isEmpty { arrival.waiting[file.device, default: []].formUnion(waiting) }
      var joined = self
      joined.join(state)
      guard joined.size <= max(size, Self.roomyLimit) else {
        arrival.tooLarge.insert(file.device)
        continue
      }
      self = joined
    }
    return arrival
  }

  /// Discards what no device needs anymore; see ``collect(_:knownBy:_:)``.
  ///
  /// - Parameters:
  ///   - names: The settings whose tombstones are old enough.
  ///   - files: All files that this device knows, also older ones of a device.
  ///   - device: This device.
  package mutating func collect(
    _ names: Set<String>, with files: [DeviceFile], by device: String, _ clock: SyncClock,
    _ resolution: (String) -> SyncResolution?
  ) {
    let others = devices.filter { $0.key != device && !$0.value.isForgotten }.keys
    var states: [SyncState] = []
    for other in others {
      let own = files.filter { $0.device == other }.map(\.state)
      // Without a file, it isn't known what the device knows.
      guard
        var state = own.max(by: { left, right in
          (left.devices[other]?.files ?? 0) < (right.devices[other]?.files ?? 0)
        })
      else { return }
      _ = state.holdBack(clock)
      states.append(state)
    }
    collect(names, knownBy: states, resolution)
  }
}
