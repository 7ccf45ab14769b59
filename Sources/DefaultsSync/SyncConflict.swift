import Defaults
import Foundation

extension Defaults {
  /// Different values of one setting, between which a person has to decide.
  ///
  /// Either several devices changed a setting with the rule ``SyncRule/ask`` without knowing each
  /// other's change, or a device that was forgotten, or whose disk was copied or restored, had
  /// settings of its own.
  public struct SyncConflict: Sendable, Hashable {
    /// One of the values.
    public struct Candidate: Sendable, Hashable {
      /// The entry; nil if the device removed it.
      public let entry: PropertyListValue?
      /// The name of the device that made the change.
      public let device: String
      /// The time of the change, by the device's clock.
      public let date: Date
    }

    /// The name of the setting.
    public let name: String
    /// The values, the newest last.
    public let candidates: [Candidate]
  }
}

extension LocalState {
  /// The conflicts of settings that this program knows, sorted by name.
  func conflicts(_ keys: [String: SyncedKey]) -> [Defaults.SyncConflict] {
    keys.keys.sorted().compactMap { name in
      // Another program's key may have the rule.
      var entries = rules[name] == .ask ? state.conflict(of: name) : []
      if let own = offered[name] {
        entries = ([own] + (state.entries[name] ?? [])).sorted()
      }
      guard entries.count > 1 || offered[name] != nil else { return nil }
      return Defaults.SyncConflict(name: name, candidates: entries.map { candidate($0) })
    }
  }

  private func candidate(_ entry: SyncEntry) -> Defaults.SyncConflict.Candidate {
    Defaults.SyncConflict.Candidate(
      entry: entry.edit.entry, device: name(of: entry.change.device), date: entry.date)
  }

  /// Returns the name of a device for people.
  func name(of device: String) -> String { state.devices[device]?.name ?? device }
}

extension SyncEntry {
  /// The time of the change.
  var date: Date { Date(timeIntervalSince1970: Double(version) / 1e6) }
}

extension Defaults.FolderSync {
  /// The settings between whose values a person has to decide, sorted by name.
  public var conflicts: [Defaults.SyncConflict] {
    view.withLock { $0.conflicts }.sorted { $0.name < $1.name }
  }

  /// Decides a conflict for all devices. Setting the key to another value also decides the
  /// conflict.
  ///
  /// - Parameters:
  ///   - conflict: The conflict. If it has ended meanwhile, or has a value that the person hasn't
  ///     seen, nothing is changed.
  ///   - candidate: The value to keep.
  /// - Throws: The same errors as ``now()``.
  public func resolve(
    _ conflict: Defaults.SyncConflict, with candidate: Defaults.SyncConflict.Candidate
  ) throws(Defaults.SuiteError) {
    let keys = setup.keys()
    try now { local, clock in
      let present = local.conflicts(keys).first { $0.name == conflict.name }
      let seen = conflict.candidates.map(\.entry)
      guard let present, present.candidates.allSatisfy({ seen.contains($0.entry) }) else { return }
      local.decide(conflict.name, for: Edit(entry: candidate.entry), clock)
    }
  }
}
