extension Defaults {
  /// What a journal says about the file that it builds on, without the values of today.
  ///
  /// That is what it takes to merge a file that somebody else wrote. For each name it is known
  /// which entries our own files have had: if the foreign file has one of those, its writer didn't
  /// touch the name, and the journal's entry stays; any other one is the writer's change.
  package struct JournalHistory: Sendable {
    /// The files that the journal's changes are known to build on, the newest last.
    private(set) var bases: [FileBase]
    /// For each name in the journal, the entries that the files had.
    private(set) var filed: [String: [Edit]] = [:]
    /// The newest entry of each name in the journal.
    private(set) var latest: [String: Edit] = [:]
    /// The names that changed after the newest file, which so lacks their newest entries.
    private var unfiled: Set<String> = []
    /// Who wrote the last record.
    private(set) var lastWriter: UInt64?

    package init(base: FileBase) {
      bases = [base]
    }

    /// Whether the journal has changes that its newest file doesn't have, as far as is known.
    var isEmpty: Bool { latest.isEmpty }

    /// The file that the memory of those who have read all of the journal builds on.
    var base: FileBase { bases[bases.count - 1] }

    /// Whether a file is one of those that the journal builds on.
    func isKnown(_ file: FileBase) -> Bool {
      bases.contains { $0.matches(file) }
    }

    /// Notes the change of a name, and what the file had if it is its first.
    mutating func note(_ change: JournalRecord.Change) {
      if filed[change.name] == nil { filed[change.name] = change.previous.map { [$0] } ?? [] }
      latest[change.name] = change.edit
      unfiled.insert(change.name)
    }

    /// Takes in a record, from whomever.
    package mutating func apply(_ record: JournalRecord) {
      for change in record.changes { note(change) }
      lastWriter = record.writer
      switch record.kind {
      case .changes: return
      case .snapshot(let base), .edited(let base): bases.append(base)
      }
      for name in unfiled {
        if let edit = latest[name], filed[name]?.contains(edit) != true {
          filed[name, default: []].append(edit)
        }
      }
      unfiled.removeAll()
    }

    /// Fills in the times of the newest file, which are known since it has its final name.
    mutating func complete(_ base: FileBase) {
      bases[bases.count - 1] = base
    }

    /// What has become of a name, given what a foreign file says about it: nil leaves it to the
    /// file.
    func verdict(on name: String, filed entry: Edit) -> Edit? {
      guard let latest = latest[name], filed[name]?.contains(entry) == true else { return nil }
      return latest
    }

    /// The entries of a file with the changes of the journal. `isForeign`: somebody else wrote it.
    package func entries(
      over file: [String: PropertyListValue], isForeign: Bool
    ) -> [String: PropertyListValue] {
      var entries = file
      for (name, edit) in latest {
        let filed = Edit(entry: file[name])
        let final = isForeign ? verdict(on: name, filed: filed) ?? filed : edit
        entries[name] = final.entry
      }
      return entries
    }
  }
}
