/// The changes that an external writer made to a property list.
extension LogState {
  /// Returns the record that merges a property list. `id` is the id of the merge, which has begun.
  /// A nil `file` with empty content means that the property list was deleted.
  ///
  /// The external writer changed everything that differs from the base of its edit, which is the
  /// base with the fewest differences. If no base is known, nothing was removed. The entries
  /// of `newer` stay, since they changed after the file was saved. If records before the base are
  /// missing because of damage, entries that changed after it also stay: the file may have the
  /// base's value of them. `noteDrop` gets the names of the file's changes that are dropped for
  /// that; the deletion of a file has none. `now` is the time in microseconds.
  func mergeRecord(
    _ content: [String: Defaults.PropertyListValue], _ file: LogRecord.FileIdentity?, id: UInt64,
    at now: UInt64, keeping newer: Set<String> = [], _ noteDrop: (String) -> Void = { _ in }
  ) -> LogRecord.Content? {
    guard let start = announced(id) else { return nil }
    var names = Set(content.keys).union(values.keys)
    for base in bases {
      names.formUnion(base.changed.keys)
      names.formUnion(base.differing.keys)
    }
    func edit(_ name: String) -> Defaults.Edit { Defaults.Edit(entry: content[name]) }
    let atStart = entries(at: start)
    let base = base(of: edit, in: file, names, before: start, at: now)
    // The changes whose values in the base are unknown.
    var hidden: [String: Defaults.Edit] = [:]
    if let base, file != nil, bases[base.index].isAfterDamage { hidden = entries(at: base.index) }
    let differences = names.compactMap { name -> LogRecord.FileDifference? in
      let edit = edit(name)
      guard edit != atStart[name] ?? current(name) else { return nil }
      let isEdited =
        base.map { edit != $0.content[name] ?? current(name) } ?? (content[name] != nil)
      let isDropped = isEdited && (newer.contains(name) || hidden[name] != nil)
      if isDropped, file != nil, edit != current(name) { noteDrop(name) }
      return LogRecord.FileDifference(name: name, edit: edit, isEdited: isEdited && !isDropped)
    }
    return .merged(id: id, file, differences)
  }

  /// Merges an external writer's property list into a copy that isn't stored.
  mutating func preview(
    _ content: [String: Defaults.PropertyListValue], _ file: LogRecord.FileIdentity?,
    at now: UInt64, keeping newer: Set<String> = []
  ) {
    // An id that no base has.
    let id = (bases.map(\.id).max() ?? 0) &+ 1
    apply(LogRecord(writer: 0, version: horizon.latest, content: .mergeBegan(id: id)))
    guard let merged = mergeRecord(content, file, id: id, at: now, keeping: newer) else { return }
    apply(LogRecord(writer: 0, version: horizon.latest, content: merged))
  }

  /// Returns the entries that a damaged log lacks but the file of an export after the damage has.
  func recovering(
    _ content: [String: Defaults.PropertyListValue], of id: UInt64
  ) -> [LogRecord.JoinedChange] {
    guard let index = index(of: id), bases[index].isAfterDamage else { return [] }
    let inFile = entries(at: index).merging(bases[index].differing) { _, file in file }
    return Set(content.keys).union(values.keys).compactMap { name in
      let edit = Defaults.Edit(entry: content[name])
      guard !hasChanged(name, since: index), edit != inFile[name] ?? current(name) else {
        return nil
      }
      return LogRecord.JoinedChange(
        name: name, edit: edit, version: bases[index].version, writer: 0)
    }
  }

  /// Returns the entries at the position of a base, for the names that changed since.
  func entries(at index: Int) -> [String: Defaults.Edit] {
    var entries: [String: Defaults.Edit] = [:]
    for base in bases[index...].reversed() { entries.merge(base.changed) { _, older in older } }
    return entries
  }

  /// The microseconds by which a restored file must be older than all bases. The clocks of several
  /// machines, and of a network's file system, differ by less.
  private static let marginOfClocks: UInt64 = 60_000_000

  /// Returns whether a file is older than all these bases: a person has restored a version that the
  /// log has forgotten, or never knew. If the clock was set back, its time doesn't show that.
  private func isOlder(
    _ file: LogRecord.FileIdentity, than bases: ArraySlice<Base>, at now: UInt64
  ) -> Bool {
    guard let oldest = bases.first, oldest.version <= LogVersion(now) else { return false }
    // The time of a merged file may be older than its merge.
    return bases.allSatisfy {
      let time = min($0.version, $0.file?.stamp.time ?? .limit)
      return file.stamp.time.microseconds + Self.marginOfClocks < time.microseconds
    }
  }

  /// Returns the base of an external writer's edit, with the entries for the names that have
  /// changed since then, or that differ in its file; nil if no base is known.
  private func base(
    of edit: (String) -> Defaults.Edit, in file: LogRecord.FileIdentity?, _ names: Set<String>,
    before start: Int, at now: UInt64
  ) -> (index: Int, content: [String: Defaults.Edit])? {
    var entries: [String: Defaults.Edit] = [:]
    var candidates: [(index: Int, content: [String: Defaults.Edit])] = []
    for index in bases.indices.reversed() {
      entries.merge(bases[index].changed) { _, older in older }
      if let file, bases[index].announces(file),
        names.allSatisfy({ edit($0) == entries[$0] ?? current($0) })
      {
        return (index, entries)
      }
      guard index < start, bases[index].content != .announced else { continue }
      candidates.append((index, entries.merging(bases[index].differing) { _, file in file }))
    }
    // Newest first, except for bases that may never have been in place.
    let placed = candidates.firstIndex { bases[$0.index].isPlaced }
    if let placed { candidates.insert(candidates.remove(at: placed), at: 0) }
    // If the file was deleted, its base is the placed one: there is no content to compare.
    guard let first = candidates.first, let file else { return candidates.first }
    if isOlder(file, than: bases[..<start], at: now) { return first }
    // A file that appears after a deletion isn't an edit of a file before it.
    let deletion = bases[..<start].lastIndex { $0.content == .absent } ?? 0
    var (nearest, least) = (first, Int.max)
    for candidate in candidates {
      let distance = names.count { edit($0) != candidate.content[$0] ?? current($0) }
      // A person has restored an older file, which undoes all later changes. Or a file that is in
      // place without a record of that was only saved again.
      if distance == 0 { return candidate.index < first.index ? first : candidate }
      if distance < least, candidate.index >= deletion {
        (nearest, least) = (candidate, distance)
      }
    }
    return nearest
  }
}

extension [String: LogVersion] {
  /// Returns the names that changed after a file was saved. A version after now says nothing about
  /// the time of its change, since versions never go back if the clock does. But if the file's time
  /// is after now, too, both are of a clock that is ahead.
  func names(after file: LogRecord.FileIdentity?, now: UInt64) -> Set<String> {
    guard let time = file?.stamp.time else { return [] }
    let now = LogVersion(now)
    return Set(filter { $0.value > time && ($0.value <= now || time > now) }.keys)
  }
}
