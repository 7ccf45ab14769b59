/// The property list of a suite as the fold sees it.
extension LogState {
  /// The state of a new suite.
  static var empty: Self {
    Self([:], of: nil, version: .zero, writer: 0, id: 0)
  }

  /// The version of the property list with this stamp.
  func file(_ stamp: FileVersion) -> LogRecord.FileIdentity? {
    bases.last { $0.file?.stamp == stamp }?.file
  }

  /// Discards all versions of the property list: none of them is there anymore.
  mutating func forgetFiles() { bases = [] }

  /// Merges an external writer's property list into a copy that isn't stored.
  mutating func merge(
    _ content: [String: Defaults.PropertyListValue], _ file: LogRecord.FileIdentity?
  ) {
    let id = UInt64.random(in: 1 ... .max)
    apply(LogRecord(writer: 0, version: horizon.latest, content: .mergeBegan(id: id)))
    guard let merged = merging(content, file, id: id) else { return }
    apply(LogRecord(writer: 0, version: horizon.latest, content: merged))
  }

  /// Whether the entries differ from the property list that is in place.
  var isExportDue: Bool {
    guard let placed = bases.lastIndex(where: \.isPlaced) else {
      return entries.contains { $0.value.edit != .remove }
    }
    let base = bases[placed]
    return base.differing.contains { $0.value != current($0.key) }
      || bases[placed...].contains { !$0.changed.isEmpty }
  }
}
