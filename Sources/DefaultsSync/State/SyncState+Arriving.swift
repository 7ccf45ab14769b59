import Defaults

/// What a device found out from the files of the others.
package struct SyncArrival: Sendable, Equatable {
  /// The settings that wait, by the other device that made a change too far ahead.
  package var waiting: [String: Set<String>] = [:]
  /// The devices whose files would make this device's file larger than the limit, or weren't tried
  /// after several such files.
  package var tooLarge: Set<String> = []
  /// Whether another device has forgotten this one. It must take a new id and give way.
  package var isForgotten = false
}

extension SyncState {
  /// The maximum number of devices that are joined, and of concurrent entries of a setting: some
  /// room is left for new ids of this device.
  private static let mostDevices = DeviceFile.mostDevices / 8 * 7
  /// The number of files that are tried although they don't fit. Each takes about 50 ms.
  private static let mostMisses = 8

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
    let needed = dropUnneededDevices(with: files, by: device)
    for file in files { meet(file, by: device, only: needed, &arrival) }
    arrival.isForgotten = devices[device]?.isForgotten == true
    var states: [(device: String, state: SyncState)] = []
    for file in files
    where devices[file.device]?.isForgotten != true && !arrival.tooLarge.contains(file.device) {
      var state = file.state
      // They are joined, and a file isn't the authority on its reader.
      state.devices = [:]
      let waiting = state.holdBack(clock)
      for (author, names) in waiting where file.device != device && author != device {
        arrival.waiting[author, default: []].formUnion(names)
      }
      states.append((file.device, state))
    }
    var all: Self? = self
    for (_, state) in states { all = all?.joined(with: state) }
    if let all, all.fits(intoFileOf: device, beside: self) {
      self = all
      return arrival
    }
    // Not all fit: each is tried, and those with the fewest new bytes first.
    var misses = 0
    let growths = states.map { (bytes: growth(by: $0.state), file: $0) }
    for (_, file) in growths.sorted(by: { $0.bytes < $1.bytes }) {
      if misses < Self.mostMisses, let joined = joined(with: file.state),
        joined.fits(intoFileOf: device, beside: self)
      {
        self = joined
      } else {
        arrival.tooLarge.insert(file.device)
        misses += 1
      }
    }
    return arrival
  }

  /// Returns the approximate size of the entries that a join with another state can add, in bytes.
  private func growth(by other: Self) -> Int {
    other.entries.reduce(0) { bytes, setting in
      let known = context(of: setting.key)
      return setting.value.reduce(bytes) { known.contains($1.change) ? $0 : $0 + $1.size }
    }
  }

  /// Returns the join with another state; nil if no device could read it or it is far too large.
  private func joined(with other: Self) -> Self? {
    let (parts, authors) = (held.count + other.held.count, context.count + other.context.count)
    // Joining multiplies them.
    guard parts * authors * 24 <= 4 * DeviceFile.maximumSize else { return nil }
    var joined = self
    joined.join(other)
    let isPossible =
      joined.context.count <= Self.mostDevices
      && joined.size <= max(size, 2 * DeviceFile.maximumSize)
      && joined.entries.values.allSatisfy { $0.count <= Self.mostDevices }
    return isPossible ? joined : nil
  }

  /// Returns whether the state can be published, or isn't larger than an earlier state that can't.
  private func fits(intoFileOf device: String, beside old: Self) -> Bool {
    func isPublishable(_ state: Self) -> Bool {
      DeviceFile(device: device, state: state).data.count <= DeviceFile.publishedSize
    }
    // In a file, a byte of a text takes six bytes at most.
    return size <= DeviceFile.publishedSize / 6 || self == old || isPublishable(self)
      || size <= old.size && !isPublishable(old)
  }

  /// If this device and the files know too many devices, drops those that have no file and made no
  /// known change. Whether they are too many depends on all files together, not on their order, so
  /// that devices which read the same files agree, and none brings the dropped devices back.
  ///
  /// - Returns: The devices with a file; nil if all devices may stay.
  private mutating func dropUnneededDevices(
    with files: [DeviceFile], by device: String
  ) -> Set<String>? {
    var names = Set(devices.keys)
    let areTooMany = files.contains { file in
      names.formUnion(file.state.devices.keys)
      return names.count > Self.mostDevices
    }
    guard areTooMany else { return nil }
    let needed = Set(files.map(\.device)).union([device])
    devices = devices(with: needed)
    return needed
  }

  /// The devices with a file or a known change; all devices if `files` is nil.
  private func devices(with files: Set<String>?) -> [String: SyncDevice] {
    guard let files else { return devices }
    return devices.filter { files.contains($0.key) || context[$0.key] > 0 }
  }

  /// Joins the devices that a file lists, unless they are too many.
  private mutating func meet(
    _ file: DeviceFile, by device: String, only needed: Set<String>?, _ arrival: inout SyncArrival
  ) {
    var listed = file.state.devices(with: needed)
    if let own = devices[device] {
      // Only this device counts its files. Another one may have an old number, or a wrong one.
      let isForgotten = own.isForgotten || listed[device]?.isForgotten == true
      listed[device] = own
      listed[device]?.isForgotten = isForgotten
    }
    let joined = devices.merging(listed) { $0.joined(with: $1) }
    guard joined.count <= max(devices.count, Self.mostDevices) else {
      arrival.tooLarge.insert(file.device)
      return
    }
    devices = joined
  }

  /// Discards the tombstones that no device needs anymore; see ``collect(_:knownBy:)``.
  ///
  /// - Parameters:
  ///   - names: The settings whose tombstones are old enough.
  ///   - files: All files that this device knows, also older ones of a device.
  ///   - device: This device.
  package mutating func collect(
    _ names: Set<String>, with files: [DeviceFile], by device: String, _ clock: SyncClock
  ) {
    if names.isEmpty { return }
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
    collect(names, knownBy: states)
  }
}
