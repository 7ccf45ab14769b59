/// The property list of a suite as a part of the log's state.
extension LogState {
  /// The state of a new suite.
  static var empty: Self {
    Self([:], of: nil, version: .zero, writer: 0, id: 0)
  }

  /// Returns the version of the property list with this stamp.
  func file(_ stamp: FileVersion) -> LogRecord.FileIdentity? {
    bases.last { $0.file?.stamp == stamp }?.file
  }

  /// Discards all versions of the property list, since no file remains.
  mutating func forgetFiles() { bases = [] }

  /// Merges an external writer's property list into a copy that isn't stored.
  mutating func merge(
    _ content: [String: Defaults.PropertyListValue], _ file: LogRecord.FileIdentity?
  ) {
    // An id that no version has.
    let id = (bases.map(\.id).max() ?? 0) &+ 1
    apply(LogRecord(writer: 0, version: horizon.latest, content: .mergeBegan(id: id)))
    guard let merged = merging(content, file, id: id) else { return }
    apply(LogRecord(writer: 0, version: horizon.latest, content: merged))
  }

  /// Whether the entries differ from the entries in the current property list.
  var isExportDue: Bool {
    guard let placed = bases.lastIndex(where: \.isPlaced) else {
      return !entries.present.isEmpty
    }
    let base = bases[placed]
    return base.differing.contains { $0.value != current($0.key) }
      || bases[placed...].contains { !$0.changed.isEmpty }
  }
}
