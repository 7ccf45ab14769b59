/// What a journal says about the file that it builds on, without the values of today.
///
/// That is what it takes to merge a file that somebody else wrote: what the file that he started
/// from had under each name that changed since. Where his file has the same, he didn't touch the
/// name, and the journal's entry stays; anything else is his change.
package struct JournalHistory: Sendable {
  /// The files that the journal's changes are known to build on, the newest last.
  private(set) var bases: [FileBase]
  /// What the files before the newest one had.
  private(set) var generations: Generations
  /// Whether they are only those that the journal tells of.
  private let isFresh: Bool
  private var courses: [String: Course] = [:]
  /// The names that changed after the newest file, which so lacks their newest entries; so that a
  /// snapshot costs what it has changed, in a hostile journal too.
  private var unfiled: [String] = []
  /// How many names changed in this journal.
  private var changedCount = 0
  private(set) var lastWriter: UInt64?
  /// Whether the journal began with what was in one that was lost.
  private(set) var isRestoration = false
  /// Whether another journal was about to take the place of this one.
  private(set) var isSucceeded = false

  /// What became of one name.
  struct Course: Sendable {
    /// The entry that the newest file has.
    fileprivate(set) var filed: Edit?
    fileprivate(set) var edit: Edit
    /// Where the record ends that it is from.
    fileprivate(set) var position: Int
    /// When it was asked for, or 0 if that isn't known.
    fileprivate(set) var mark: UInt64 = 0
    /// Where it ended in the journal that was lost, if it is from there.
    fileprivate(set) var lostPosition: Int?
    /// Whether it changed after the newest file, which so lacks its newest entry.
    fileprivate var isUnfiled = false
    /// Whether it changed in this journal, and not only between the last two files.
    fileprivate(set) var isChange = false
  }

  /// The history of a journal that begins on a file; `generations` are those of the journal
  /// before, if that is known.
  package init(base: FileBase, after generations: Generations = Generations()) {
    bases = [base]
    self.generations = generations
    isFresh = generations.isEmpty
  }

  /// Whether the journal has changes that its newest file doesn't have, as far as is known.
  var isEmpty: Bool { changedCount == 0 }

  /// The names that the journal says something about.
  var names: some Collection<String> { courses.keys }

  func has(_ name: String) -> Bool { courses[name] != nil }

  /// What became of the names that changed in the journal.
  var changes: some Sequence<(key: String, value: Course)> {
    courses.lazy.filter { $0.value.isChange }
  }

  subscript(name: String) -> Course? { courses[name] }

  /// The file that the memory of those who have read all of the journal builds on.
  var base: FileBase { bases[bases.count - 1] }

  /// Whether a file is one of those that the journal builds on.
  func isKnown(_ file: FileBase) -> Bool { bases.contains { $0.matches(file) } }

  /// Takes in a record, from whomever, that ends at a place of the journal. `before`: what the
  /// file before had, under names that the journal has nothing about.
  package mutating func apply(_ record: JournalRecord, end: Int = 0, before: [String: Edit] = [:]) {
    if lastWriter == nil, record.kind == .restored { isRestoration = true }
    lastWriter = record.writer
    switch record.kind {
    case .changes:
      for change in record.changes { note(change, end: end) }
    case .restored:
      for change in record.changes {
        note(change, end: end)
        courses[change.name]?.mark = 0
        courses[change.name]?.lostPosition = Int(clamping: change.mark)
      }
    case .snapshot(let base), .edited(let base):
      file(record.changes, in: base, end: end, before: before)
    case .filed:
      noteFiled(record.changes, end: end)
    case .succeeded:
      isSucceeded = true
    }
  }

  /// Whether a file is one of those, if it may have got another name since.
  func isOwn(_ version: FileVersion) -> Bool { bases.contains { $0.version == version } }

  /// Notes the change of a name, and what the file had if it is its first.
  private mutating func note(_ change: JournalRecord.Change, end: Int) {
    guard let index = courses.index(forKey: change.name) else {
      courses[change.name] = Course(
        filed: change.previous, edit: change.edit, position: end, mark: change.mark,
        isUnfiled: true, isChange: true)
      unfiled.append(change.name)
      changedCount += 1
      return
    }
    courses.values[index].edit = change.edit
    courses.values[index].position = end
    courses.values[index].mark = change.mark
    courses.values[index].lostPosition = nil
    if !courses.values[index].isChange {
      courses.values[index].isChange = true
      changedCount += 1
    }
    if !courses.values[index].isUnfiled {
      courses.values[index].isUnfiled = true
      unfiled.append(change.name)
    }
  }

  /// Notes a new file, which has the newest entries, but for those changes that say otherwise.
  private mutating func file(
    _ changes: [JournalRecord.Change], in base: FileBase, end: Int, before: [String: Edit]
  ) {
    var before = before
    for name in unfiled + changes.map(\.name) {
      if let filed = courses[name]?.filed { before[name] = filed }
    }
    var others: [String: Edit] = [:]
    for change in changes {
      note(change, end: end)
      others[change.name] = change.previous
    }
    let names = unfiled
    unfiled.removeAll()
    for name in names {
      guard let index = courses.index(forKey: name) else { continue }
      let edit = courses.values[index].edit
      let filed = others[name] ?? edit
      courses.values[index].filed = filed
      courses.values[index].isUnfiled = false
      if filed != edit {
        courses.values[index].isUnfiled = true
        unfiled.append(name)
      }
    }
    let differences = before.filter { $0.value != courses[$0.key]?.filed }
    // Nobody starts from a file that isn't there.
    if self.base.version != nil { generations.advance(from: differences) }
    bases.append(base)
  }

  /// Notes what an older file had where the next one has something else.
  private mutating func noteFiled(_ changes: [JournalRecord.Change], end: Int) {
    for change in changes where courses[change.name] == nil {
      courses[change.name] = Course(filed: change.edit, edit: change.edit, position: end)
    }
    guard isFresh else { return }
    generations.advance(
      from: Dictionary(changes.map { ($0.name, $0.previous ?? .remove) }) { _, last in last })
  }

  /// Somebody put an older file back on purpose: what differs from the newest one is his change.
  mutating func forgetGenerations() { generations = Generations() }

  /// Goes on with generations that are known from before.
  mutating func keep(_ generations: Generations) { self.generations = generations }

  /// Fills in the times of the newest file, which are known since it has its final name.
  mutating func complete(_ base: FileBase) { bases[bases.count - 1] = base }

  /// What the newest file has under a name, if the journal knows.
  func filed(_ name: String) -> Edit? { courses[name]?.filed }

  /// The entries of a file with the changes of the journal. `isForeign`: somebody else wrote it.
  package func entries(
    over file: [String: PropertyListValue], isForeign: Bool
  ) -> [String: PropertyListValue] {
    var entries = file
    let origin =
      isForeign
      ? generations.origin(of: { Edit(entry: file[$0]) }) { filed($0) ?? Edit(entry: file[$0]) }
      : [:]
    for (name, course) in courses {
      if isForeign, let base = origin[name] ?? course.filed, base != Edit(entry: file[name]) {
        // Whoever wrote the file changed it.
        continue
      }
      entries[name] = course.edit.entry
    }
    return entries
  }
}

/// What the last files of a suite had, as far as they differ from the newest one.
///
/// Somebody may have read a file some time ago (an editor has), and write it now with a change of
/// his own. What he started from is the generation that his file differs from least.
package struct Generations: Sendable {
  /// How many files before the newest one are known, at least if there are so many.
  private static let least = 4
  /// How many are known if they differ little, by so many entries in all.
  private static let most = 16
  private static let entries = 1_000

  /// What each file had under the names that the next one has something else for; the newest last.
  private(set) var differences: [[String: Edit]] = []

  var isEmpty: Bool { differences.isEmpty }

  /// Notes that there is a newer file, and what the one before had where they differ.
  mutating func advance(from entries: [String: Edit]) {
    guard !entries.isEmpty else { return }
    differences.append(entries)
    var size = differences.reduce(0) { $0 + $1.count }
    while differences.count > Self.most || size > Self.entries && differences.count > Self.least {
      size -= differences.removeFirst().count
    }
  }

  /// What the generation has that a foreign file started from, where the newest one has something
  /// else: nothing if that is the newest one, which it is too where several are equally near.
  func origin(
    of foreign: (_ name: String) -> Edit, newest: (_ name: String) -> Edit
  ) -> [String: Edit] {
    // Where all generations agree, the file is equally far from all of them.
    let names = Set(differences.lazy.flatMap(\.keys))
    func distance(_ entries: [String: Edit]) -> Int {
      names.count { (entries[$0] ?? newest($0)) != foreign($0) }
    }
    var nearest: [String: Edit] = [:]
    var least = distance(nearest)
    var entries: [String: Edit] = [:]
    for older in differences.reversed() {
      entries.merge(older) { _, older in older }
      let distance = distance(entries)
      if distance < least { (nearest, least) = (entries, distance) }
    }
    return nearest
  }
}
