import Defaults

extension SyncState {
  /// Makes this state of a device that the others have forgotten that of a new one: the others'
  /// state, without the changes that none of them knows.
  ///
  /// - Parameter others: The joined state of the other devices.
  /// - Returns: The discarded entries, to offer them as conflicts, by setting.
  package mutating func giveWay(to others: SyncState) -> [String: SyncEntry] {
    var own: [String: SyncEntry] = [:]
    for (name, list) in entries {
      let known = others.context(of: name)
      own[name] = list.last { !known.contains($0.change) }
    }
    join(others)
    // The discarded changes replaced nothing.
    for name in own.keys { put(others.entries[name] ?? [], named: name) }
    return own.filter { name, entry in
      others.entries[name]?.contains { $0.edit == entry.edit } != true
    }
  }
}
