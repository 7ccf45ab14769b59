import Defaults
import Foundation

/// What the settings command shows.
final class WeakSync: SuiteSync {
  private weak let sync: Defaults.FolderSync?

  init(sync: Defaults.FolderSync) { self.sync = sync }

  var statusRows: [[String]] { sync?.statusRows ?? [] }
  var deviceRows: [[String]] { sync?.deviceRows ?? [] }
  var changeRows: [[String]] { sync?.changeRows ?? [] }
  func now() throws(SuiteError) { try sync?.now() }
  func origin(of name: String) -> String? { sync?.origin(of: name) }
}

extension Defaults.FolderSync {
  fileprivate var statusRows: [[String]] {
    let (view, keys) = (view.withLock { $0 }, setup.keys())
    let others = devices.filter { !$0.isThis }
    var rows = [
      ["settings", "\(keys.count)"],
      ["this device", devices.first.map { "\($0.name) (\($0.id))" } ?? "unknown"],
      ["other devices", others.isEmpty ? "none yet" : others.map(\.name).joined(separator: ", ")],
      ["last sync", view.date.map(Self.text) ?? "never"],
    ]
    if let obstacle = view.report.obstacle, view.report.isOffline {
      rows.append(["offline", obstacle.description])
    }
    for problem in view.allProblems { rows.append(["problem", problem.description]) }
    return rows
  }

  fileprivate var deviceRows: [[String]] {
    [["ID", "NAME", "LAST SEEN", "SETTINGS"]]
      + devices.map { device in
        [
          device.id, device.name + (device.isThis ? " (this device)" : ""),
          device.lastSeen.map(Self.text) ?? "never", "\(device.settings)",
        ]
      }
  }

  fileprivate var changeRows: [[String]] {
    guard let local = view.withLock({ $0.local }) else { return [] }
    let keys = setup.keys()
    let changes = local.state.entries.flatMap { name, entries in entries.map { (name, $0) } }
    return changes.filter { keys[$0.0] != nil }.sorted { $0.1 < $1.1 }.map { name, entry in
      [
        Self.text(entry.date), name, local.name(of: entry.change.device),
        entry.edit == .remove ? "removed" : "set",
      ]
    }
  }

  fileprivate func origin(of name: String) -> String? {
    guard let local = view.withLock({ $0.local }), setup.keys()[name] != nil,
      let entry = local.state.source(of: name)
    else { return nil }
    let device = entry.change.device
    let place = device == local.device ? "this device" : local.name(of: device)
    return "\(place), \(Self.text(entry.date))"
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
