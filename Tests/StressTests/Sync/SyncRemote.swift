import Defaults
import DefaultsSync
import Foundation

/// Another device of a run on a simulated disk: it never crashes, and only its files are on the
/// disk.
struct SyncRemote {
  static let resolutions: [String: SyncResolution] = ["a": .latest, "b": .latest, "c": .latest]

  private(set) var local = LocalState(device: "remote", name: "remote", machine: "other")
  private(set) var suite: [String: LocalState.Observed] = [:]

  init() {
    for name in Self.resolutions.keys { suite[name] = LocalState.Observed(edit: .remove) }
  }

  mutating func set(_ name: String, _ edit: Defaults.Edit) {
    suite[name] = LocalState.Observed(edit: edit, version: machineFileSystem.now)
  }

  /// Makes a pass. Returns whether anything changed.
  mutating func pass(through folder: SharedFolder) throws -> Bool {
    let clock = SyncClock(now: machineFileSystem.now)
    let files = try folder.states().compactMap { state -> DeviceFile? in
      guard case .success(let data) = state.content else { return nil }
      return try? DeviceFile(data)
    }
    local.learn(Self.resolutions)
    let observed = local.notice(suite, clock)
    _ = local.record(observed, files, clock)
    _ = local.change(observed) { $0.take(files, clock) { "renewed" } }
    let wanted = local.wanted(observed)
    for (name, edit) in wanted {
      set(name, edit)
      local.applied[name] = .value
    }
    guard local.mustPublish(over: files, clock) else { return !wanted.isEmpty }
    local.countFile(clock)
    try folder.put(DeviceFile(device: local.device, state: local.state).data, of: local.device)
    return true
  }
}
