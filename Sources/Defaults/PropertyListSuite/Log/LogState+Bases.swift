/// The versions of the property list that a log knows, and what follows from the file that is
/// found.
extension LogState {
  /// One version of the property list.
  ///
  /// What it has isn't kept: only what the entries had, at this place of the log, under the names
  /// that changed before the next version, and what the file has that differs from the entries.
  struct Base: Sendable, Equatable {
    enum Content: Sendable, Equatable {
      /// It is being written, or merged.
      case announced
      case file(LogRecord.FileIdentity)
      /// The property list was deleted.
      case absent
    }

    let id: UInt64
    /// When its content was determined.
    let version: LogVersion
    /// The name under which the file is written, if this library writes it.
    var temporaryName = ""
    var content = Content.announced
    /// Whether it is known that the file had the name of the property list.
    var isPlaced = false
    /// Whether records before it are missing, since they are damaged.
    var isAfterDamage = false
    /// The entries at this place, for names that changed between this version and the next.
    var changed: [String: Defaults.Edit] = [:]
    /// What the file has where it differs from the entries at this place.
    var differing: [String: Defaults.Edit] = [:]

    var file: LogRecord.FileIdentity? {
      if case .file(let file) = content { file } else { nil }
    }
  }

  /// What a property list that is found means.
  enum Finding: Equatable {
    /// It is the newest version, of this id.
    case newest(id: UInt64)
    /// It is an older version that was never replaced, or there is none yet: it is to be exported.
    case outdated
    /// An external writer changed it, or removed it: it is to be merged.
    case external
  }

  /// The most versions that are known; fewer where they differ much, but at least `leastBases`.
  private static let mostBases = 16
  private static let leastBases = 4
  private static let mostChanged = 1_000

  /// The newest version that is known to have had the name of the property list.
  private var placed: Int? { bases.lastIndex(where: \.isPlaced) }

  /// Tells what the property list is; nil if there is none.
  func finding(_ file: LogRecord.FileIdentity?) -> Finding {
    let placed = placed
    guard let file else {
      guard let placed, bases[placed].content != .absent else { return .outdated }
      return .external
    }
    // A file whose rename wasn't recorded before a crash is behind the placed one.
    let newest = bases.indices.reversed().first { index in
      index >= placed ?? 0 && bases[index].file?.hasSameContent(as: file) == true
    }
    if let newest { return .newest(id: bases[newest].id) }
    return knows(file.stamp) ? .outdated : .external
  }

  /// Whether a file at this place, with this size and time, is one of those that the log knows, so
  /// that it need not be read.
  func knows(_ stamp: FileVersion) -> Bool { bases.contains { $0.file?.stamp == stamp } }

  /// Whether an exported file may replace the property list, of which nothing newer is known.
  func mayPlace(_ id: UInt64) -> Bool { bases.last?.id == id && bases.last?.file != nil }

  /// What the version of this id has: the entries at its place, and where the file differs.
  func content(of id: UInt64) -> [String: Defaults.PropertyListValue]? {
    guard let index = index(of: id) else { return nil }
    var edits = entries.mapValues(\.edit)
    edits.merge(origin(of: index)) { _, then in then }
    edits.merge(bases[index].differing) { _, file in file }
    return edits.compactMapValues(\.entry)
  }

  /// The record that merges a property list; `id` is that of the merge, which has begun. nil as
  /// `file` and no content: it was deleted.
  ///
  /// The external writer changed what differs from the version that the file was made of: the one
  /// from which it differs least.
  func merging(
    _ content: [String: Defaults.PropertyListValue], _ file: LogRecord.FileIdentity?, id: UInt64
  ) -> LogRecord.Content? {
    guard let start = announced(id) else { return nil }
    var names = Set(content.keys).union(entries.keys)
    for base in bases {
      names.formUnion(base.changed.keys)
      names.formUnion(base.differing.keys)
    }
    func edit(_ name: String) -> Defaults.Edit { Defaults.Edit(entry: content[name]) }
    let atStart = origin(of: start)
    let base = base(of: edit, names, isDeletion: file == nil, before: start)
    let differences = names.compactMap { name -> LogRecord.FileDifference? in
      let edit = edit(name)
      guard edit != atStart[name] ?? current(name) else { return nil }
      return LogRecord.FileDifference(
        name: name, edit: edit, isEdited: edit != base[name] ?? current(name))
    }
    return .merged(id: id, file, differences)
  }

  /// The entries that a damaged log lacks, and that the file of an export behind the damage has.
  func recovering(
    _ content: [String: Defaults.PropertyListValue], of id: UInt64, writer: UInt64
  ) -> [LogRecord.JoinedChange] {
    guard let index = index(of: id), bases[index].isAfterDamage else { return [] }
    let atStart = origin(of: index)
    return Set(content.keys).union(entries.keys).compactMap { name in
      let edit = Defaults.Edit(entry: content[name])
      guard !hasChanged(name, since: index), edit != atStart[name] ?? current(name) else {
        return nil
      }
      return LogRecord.JoinedChange(
        name: name, edit: edit, version: bases[index].version, writer: writer)
    }
  }
}

extension LogState {
  /// The version that was announced with this id, and whose file isn't known yet.
  func announced(_ id: UInt64) -> Int? {
    bases.firstIndex { $0.id == id && $0.content == .announced }
  }

  func index(of id: UInt64) -> Int? { bases.firstIndex { $0.id == id } }

  /// The changes since the version of the property list that was placed last.
  var unexported: [LogRecord.JoinedChange] {
    guard let placed else { return missing(in: Self()) }
    return missing(in: Self()).filter { hasChanged($0.name, since: placed) }
  }

  /// Whether an export was placed that has all changes up to a version.
  func hasExport(since version: LogVersion) -> Bool {
    bases.contains { $0.isPlaced && !$0.temporaryName.isEmpty && $0.version >= version }
  }

  /// Whether a file was merged before, by another process.
  func wasMerged(_ file: LogRecord.FileIdentity?) -> Bool {
    guard let file else { return placed.map { bases[$0].content == .absent } ?? true }
    return knows(file.stamp)
  }

  func hasChanged(_ name: String, since index: Int) -> Bool {
    bases[index...].contains { $0.changed[name] != nil }
  }

  /// The entries at the place of a version, for the names that changed since.
  private func origin(of index: Int) -> [String: Defaults.Edit] {
    var origin: [String: Defaults.Edit] = [:]
    for base in bases[index...].reversed() { origin.merge(base.changed) { _, older in older } }
    return origin
  }

  /// The entries of the version that an external writer started from, for the names that changed
  /// since, and for those where that file differs.
  private func base(
    of edit: (String) -> Defaults.Edit, _ names: Set<String>, isDeletion: Bool, before start: Int
  ) -> [String: Defaults.Edit] {
    var origin: [String: Defaults.Edit] = [:]
    var candidates: [(index: Int, content: [String: Defaults.Edit])] = []
    for index in bases.indices.reversed() {
      origin.merge(bases[index].changed) { _, older in older }
      guard index < start, bases[index].content != .announced else { continue }
      candidates.append((index, origin.merging(bases[index].differing) { _, file in file }))
    }
    // Newest first, but for those of which it isn't known whether they were ever in place.
    let placed = candidates.firstIndex { bases[$0.index].isPlaced }
    if let placed { candidates.insert(candidates.remove(at: placed), at: 0) }
    // Only a file that was there can be deleted.
    guard let first = candidates.first, !isDeletion else { return candidates.first?.content ?? [:] }
    var (nearest, least) = (first.content, Int.max)
    for (index, content) in candidates {
      let distance = names.count { edit($0) != content[$0] ?? current($0) }
      // A file that equals an older version isn't a stale one that was saved: it is the newest
      // one, with that edited which changed since.
      if index == first.index || distance > 0 && distance < least {
        (nearest, least) = (content, distance)
      }
    }
    return nearest
  }

  mutating func add(_ base: Base) {
    bases.append(base)
    var changed = bases.reduce(0) { $0 + $1.changed.count }
    while bases.count > Self.mostBases
      || changed > Self.mostChanged && bases.count > Self.leastBases
    {
      // The placed one stays, since a file that is found is compared with it; so do those exported
      // later, which may be in place although no record says so yet.
      let placed = placed
      let index = bases.indices.dropLast().first {
        $0 != placed && ($0 < placed ?? 0 || bases[$0].file == nil)
      }
      guard let index else { return }
      let removed = bases.remove(at: index)
      changed -= removed.changed.count
      if index > 0 {
        let before = bases[index - 1].changed.count
        bases[index - 1].changed.merge(removed.changed) { older, _ in older }
        changed += bases[index - 1].changed.count - before
      }
    }
  }
}
