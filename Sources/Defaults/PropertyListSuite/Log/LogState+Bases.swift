/// The property lists that a log knows, and their comparison with the found file.
extension LogState {
  /// A property list that the log knows: an export, or a file that was merged.
  ///
  /// Only differences are stored, not the content: the log's entries at this base's position that
  /// changed before the next base, and the file's entries that differ from the log's entries at
  /// that position.
  struct Base: Sendable, Equatable {
    enum Content: Sendable, Equatable {
      /// The file is being written or merged.
      case announced
      case file(LogRecord.FileIdentity)
      /// The property list was deleted.
      case absent
    }

    let id: UInt64
    /// The version of the record that began the export or merge.
    let version: LogVersion
    /// The temporary name of the file, if this library writes it.
    var temporaryName = ""
    var content = Content.announced
    /// Whether the file is known to have had the property list's name.
    var isPlaced = false
    /// Whether records before it are missing because of damage.
    var isAfterDamage = false
    /// The entries at this position whose names changed between this base and the next.
    var changed: [String: Defaults.Edit] = [:]
    /// The entries of the file that differ from the log's entries at this position.
    var differing: [String: Defaults.Edit] = [:]

    /// Whether this library writes the file, rather than merges it.
    var isExport: Bool { !temporaryName.isEmpty }

    /// The number of changes, and the bytes of the entries.
    var size: (changed: Int, bytes: Int) {
      func bytes(_ edits: [String: Defaults.Edit]) -> Int {
        edits.reduce(0) { $0 + $1.key.utf8.count + ($1.value.entry?.encodedSize ?? 0) }
      }
      return (changed.count, bytes(changed) + bytes(differing))
    }

    var file: LogRecord.FileIdentity? { if case .file(let file) = content { file } else { nil } }

    /// Returns whether a file may be this export, if the log lost the later records about it. An
    /// export's modification time is its version.
    func announces(_ file: LogRecord.FileIdentity) -> Bool {
      content == .announced && isExport && file.stamp.modified == FileTime(version)
    }
  }

  /// The relation of a found property list to the log.
  enum Finding: Equatable {
    /// The file is the newest base, with this id.
    case newest(id: UInt64)
    /// The file is an export that was overtaken by a newer one, or is missing. An export is due.
    case outdated
    /// An external writer changed or removed the file. A merge is due.
    case external
  }

  /// The maximum number of bases; fewer if they differ much, but at least `leastBases`.
  private static let mostBases = 16
  private static let leastBases = 4
  private static let mostChanged = 1_000
  /// The maximum number of bytes in which the bases differ, in a smaller suite.
  private static let mostBytes = 16 << 20

  /// The index of the newest base that is known to have had the property list's name.
  var placedIndex: Int? { bases.lastIndex(where: \.isPlaced) }

  /// Whether the entries differ from the entries in the current property list.
  var isExportDue: Bool {
    // An export may be in place without a record of that.
    guard let index = placedIndex else { return !entries.present.isEmpty || !unplacedNames.isEmpty }
    func isIn(_ edits: [String: Defaults.Edit]) -> Bool {
      edits.keys.contains { isUnexported($0, since: index) }
    }
    return isIn(bases[index].differing) || bases[index...].contains { isIn($0.changed) }
  }

  /// Returns whether the property list lacks the current entry of a name, or may lack it.
  private func isUnexported(_ name: String, since placedIndex: Int) -> Bool {
    let inFile = bases[placedIndex].differing[name] ?? bases[placedIndex].changed[name]
    if let inFile, inFile != current(name) { return true }
    // A later base may be in place without a record of that.
    return placedIndex < bases.count - 1 && hasChanged(name, since: placedIndex)
  }

  /// The log's version at the newest property list known to have had its name; zero without one.
  var placedVersion: LogVersion { placedIndex.map { bases[$0].version } ?? .zero }

  /// Returns the relation of a property list to the log; nil means that there is none.
  func finding(_ file: LogRecord.FileIdentity?) -> Finding {
    let placedIndex = placedIndex
    guard let file else {
      guard let placedIndex, bases[placedIndex].content != .absent else { return .outdated }
      return .external
    }
    // If a crash prevented the record of a file's rename, the file follows the placed base.
    let newest = bases.indices.reversed().first { index in
      let known = index >= placedIndex ?? 0 ? bases[index].file : nil
      return known?.stamp.size == file.stamp.size && known?.checksum == file.checksum
    }
    if let newest { return .newest(id: bases[newest].id) }
    return knows(file.stamp) ? .outdated : .external
  }

  /// Returns whether the log knows a file with this stamp, which then need not be read.
  func knows(_ stamp: FileVersion) -> Bool { file(stamp) != nil }

  /// Returns the identity of the base with this stamp.
  ///
  /// A file that was replaced or deleted isn't known anymore: moving it back is an edit. Another
  /// file may also have its stamp, with the same inode number and a time that a program copied.
  func file(_ stamp: FileVersion) -> LogRecord.FileIdentity? {
    let placedIndex = placedIndex ?? 0
    let index = bases.indices.last { index in
      bases[index].file?.stamp == stamp && (index >= placedIndex || isOvertaken(index))
    }
    return index.flatMap { bases[$0].file }
  }

  /// Returns whether a base before the placed one is an export that a later export overtook. Before
  /// a merge, it may have been in place, without a record of that.
  private func isOvertaken(_ index: Int) -> Bool {
    !bases[index].isPlaced && bases[index...].first(where: \.isPlaced)?.isExport == true
  }

  /// Returns whether the log has a record of a file with this stamp, also of one that was replaced.
  func hasRecord(of stamp: FileVersion, since index: Int = 0) -> Bool {
    bases[index...].contains { $0.file?.stamp == stamp }
  }

  /// The temporary names of exports that may be in place without a record of that.
  var unplacedNames: [String] {
    bases[(placedIndex ?? 0)...].filter { !$0.isPlaced && $0.file != nil }.map(\.temporaryName)
  }

  /// Returns whether an exported file may replace the property list: no newer base is known.
  func mayPlace(_ id: UInt64) -> Bool { bases.last?.id == id && bases.last?.file != nil }
}

extension LogState {
  /// Returns the index of the announced base with this id, whose file isn't known yet.
  func announced(_ id: UInt64) -> Int? {
    bases.firstIndex { $0.id == id && $0.content == .announced }
  }

  func index(of id: UInt64) -> Int? { bases.firstIndex { $0.id == id } }

  /// The changes since the property list was last placed.
  var unexported: [LogRecord.JoinedChange] {
    guard let placedIndex else { return missing(in: Self()) }
    return missing(in: Self()).filter { isUnexported($0.name, since: placedIndex) }
  }

  /// Returns whether an export with all changes up to a version was placed.
  func hasExport(since version: LogVersion) -> Bool {
    bases.contains { $0.isPlaced && $0.isExport && $0.version >= version }
  }

  /// Returns whether a file was already merged by another process.
  func wasMerged(_ file: LogRecord.FileIdentity?) -> Bool {
    guard let file else { return placedIndex.map { bases[$0].content == .absent } ?? true }
    return knows(file.stamp)
  }

  func hasChanged(_ name: String, since index: Int) -> Bool {
    bases[index...].contains { $0.changed[name] != nil }
  }

  mutating func add(_ base: Base) {
    bases.append(base)
    var sizes = bases.map(\.size)
    let mostBytes = max(Self.mostBytes, entries.present.size)
    func isTooMuch() -> Bool {
      bases.count > Self.mostBases || sizes.reduce(0) { $0 + $1.bytes } > mostBytes
        || bases.count > Self.leastBases && sizes.reduce(0) { $0 + $1.changed } > Self.mostChanged
    }
    while isTooMuch() {
      // Keep the placed base, since a found file is compared with it. Also keep later exports,
      // which may be in place without a record of that. Bases that were never completed go
      // first, since a text editor may still have an earlier file.
      let placedIndex = placedIndex
      let others = bases.indices.dropLast().filter { $0 != placedIndex }
      let index =
        others.first { bases[$0].content == .announced }
        ?? others.first { $0 < placedIndex ?? 0 || bases[$0].file == nil }
      guard let index else { return }
      let removed = bases.remove(at: index)
      sizes.remove(at: index)
      if index > 0 {
        bases[index - 1].changed.merge(removed.changed) { older, _ in older }
        sizes[index - 1] = bases[index - 1].size
      }
    }
  }
}
