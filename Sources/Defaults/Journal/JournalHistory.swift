extension Defaults {
  /// What a journal says about the file that it builds on, without the values of today.
  ///
  /// That is what it takes to merge a file that somebody else wrote. For each name it is known
  /// which entries our own files have had: if the foreign file has one of those, its writer didn't
  /// touch the name, and the journal's entry stays; any other one is the writer's change.
  package struct JournalHistory: Sendable {
    /// The files that the journal's changes are known to build on, the newest last.
    private(set) var bases: [FileBase]
    private var courses: [String: Course] = [:]
    /// The names that changed after the newest file, which so lacks their newest entries; so that a
    /// snapshot costs what it has changed, in a hostile journal too.
    private var unfiled: [String] = []
    /// Who wrote the last record.
    private(set) var lastWriter: UInt64?

    /// What became of one name.
    private struct Course {
      /// The entries that the files had.
      var filed: [Edit]
      /// The newest entry.
      var latest: Edit
      /// Whether it changed after the newest file, which so lacks its newest entry.
      var isUnfiled = true

      /// Notes that a file has the newest entry.
      mutating func file() {
        if !filed.contains(latest) { filed.append(latest) }
        isUnfiled = false
      }
    }

    package init(base: FileBase) {
      bases = [base]
    }

    /// Whether the journal has changes that its newest file doesn't have, as far as is known.
    var isEmpty: Bool { courses.isEmpty }

    /// The names in the journal.
    var names: some Collection<String> { courses.keys }

    /// Whether the journal has a name.
    func has(_ name: String) -> Bool { courses[name] != nil }

    /// The entries of a name that the files had.
    func filed(_ name: String) -> [Edit] { courses[name]?.filed ?? [] }

    /// The file that the memory of those who have read all of the journal builds on.
    var base: FileBase { bases[bases.count - 1] }

    /// Whether a file is one of those that the journal builds on.
    func isKnown(_ file: FileBase) -> Bool {
      bases.contains { $0.matches(file) }
    }

    /// Notes the change of a name, and what the file had if it is its first.
    private mutating func note(_ change: JournalRecord.Change) {
      if let index = courses.index(forKey: change.name) {
        courses.values[index].latest = change.edit
        if courses.values[index].isUnfiled { return }
        courses.values[index].isUnfiled = true
      } else {
        courses[change.name] = Course(
          filed: change.previous.map { [$0] } ?? [], latest: change.edit)
      }
      unfiled.append(change.name)
    }

    /// Takes in a record, from whomever.
    package mutating func apply(_ record: JournalRecord) {
      for change in record.changes { note(change) }
      lastWriter = record.writer
      switch record.kind {
      case .changes: return
      case .snapshot(let base), .edited(let base): bases.append(base)
      }
      for name in unfiled { courses[name]?.file() }
      unfiled.removeAll()
    }

    /// Fills in the times of the newest file, which are known since it has its final name.
    mutating func complete(_ base: FileBase) {
      bases[bases.count - 1] = base
    }

    /// What has become of a name, given what a foreign file says about it: nil leaves it to the
    /// file.
    func verdict(on name: String, filed entry: Edit) -> Edit? {
      guard let course = courses[name], course.filed.contains(entry) else { return nil }
      return course.latest
    }

    /// The entries of a file with the changes of the journal. `isForeign`: somebody else wrote it.
    package func entries(
      over file: [String: PropertyListValue], isForeign: Bool
    ) -> [String: PropertyListValue] {
      var entries = file
      for (name, course) in courses {
        let filed = Edit(entry: file[name])
        let final = isForeign ? verdict(on: name, filed: filed) ?? filed : course.latest
        entries[name] = final.entry
      }
      return entries
    }
  }
}
