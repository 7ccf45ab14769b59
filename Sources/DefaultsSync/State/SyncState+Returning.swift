import Defaults

extension SyncState {
  /// Gives a device that the others have forgotten their state, without the changes that none of
  /// them knows. A setting that waits, since an entry is too far ahead, is only joined.
  ///
  /// The entries of the others become changes of this device's new id. They replace the discarded
  /// changes also on a device that has accepted those.
  ///
  /// - Parameters:
  ///   - others: The joined state of the other devices.
  ///   - device: The new id.
  /// - Returns: The discarded entries, to offer them as conflicts, by setting.
  package mutating func giveWay(to others: SyncState, as device: String) -> [String: SyncEntry] {
    var own: [String: SyncEntry] = [:]
    for (name, list) in entries where others.held[name] == nil {
      own[name] = list.last { !others.context.contains($0.change) }
    }
    join(others)
    for name in own.keys.sorted() {
      // Without an entry of the others, a removal replaces the discarded changes.
      let contents =
        others.entries[name]?.map { ($0.edit, $0.version, $0.replaced) } ?? [(.remove, 1, 0)]
      let list = contents.map { edit, version, replaced in
        SyncEntry(
          edit: edit, version: version, change: addChange(of: device),
          replaced: replaced)
      }
      put(list.sorted(), named: name)
    }
    return own.filter { name, entry in
      others.entries[name]?.contains { $0.edit == entry.edit } != true
    }
  }
}
