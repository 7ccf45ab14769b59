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
      let rest = list.filter { known.contains($0.change) }
      guard rest.count < list.count else { continue }
      let newest = list.last { !known.contains($0.change) }
      put(rest, named: name)
      if let newest, others.entries[name]?.contains(where: { $0.edit == newest.edit }) != true {
        own[name] = newest
      }
    }
    join(others)
    return own
  }
}
