extension Defaults {
  /// What happens to one entry: it is set, or it is removed.
  public enum Edit: Sendable, Hashable {
    /// The entry becomes this value.
    case set(PropertyListValue)
    /// The entry goes; reading its name gives the default again.
    case remove

    /// The edit that leaves this entry behind, or none if it is nil.
    package init(entry: PropertyListValue?) {
      self = entry.map(Edit.set) ?? .remove
    }

    /// The entry that the edit leaves behind; nil for `remove`.
    public var entry: PropertyListValue? {
      switch self {
      case .set(let value): value
      case .remove: nil
      }
    }
  }
}

// MARK: - What an entry may be

extension Defaults {
  /// The name of the entry in which a suite keeps the version that it was migrated to, an integer;
  /// see ``Suite/migrate(to:steps:)``. An entry like any other, in exports too; leave it alone.
  public static let versionName = "Defaults.version"

  /// The name of the entry in which a suite keeps what was imported from `UserDefaults`, so that it
  /// isn't imported again; see ``Suite/importUserDefaults(_:from:domain:conflicts:)``. Remove it to
  /// import anew. It belongs to this installation, so it isn't exported.
  public static let importedName = "Defaults.imported"

  /// The name of the entry that holds the reference of a JSON file to its JSON Schema, which the
  /// file has as `"$schema"` at its top; see ``JSONFormat``. It belongs to that file, so imports,
  /// layers and exports ignore it. A store that reads and writes a JSON file keeps it.
  public static let schemaName = "Defaults.schema"

  /// Whether an entry of this name belongs to the library and isn't a setting.
  package static func isReserved(_ name: String) -> Bool {
    name == versionName || name == importedName || name == schemaName
  }

  /// How large things may be, in bytes. What is larger is refused when it is set: nothing that was
  /// stored is ever cut off, or unreadable later, because of a limit.
  package enum SizeLimit {
    /// A value, in the form that it has in the journal.
    package static let value = 64 << 20
    /// All entries of a suite, in that form.
    static let suite = 128 << 20
    /// A journal. It is far smaller unless no snapshot could be written for long; what doesn't fit
    /// waits in memory.
    static let journal = 768 << 20
    /// A journal that is read: with the last record and the room behind it.
    static let readableJournal = 1 << 30
    /// A property list file that is read or written. Twice what the suite's limit lets come
    /// together in the worst case of either format, but for XML text of control characters.
    static let file = 1 << 30
  }
}

extension Defaults.PropertyListValue {
  /// How many bytes the value takes in a journal.
  var encodedSize: Int {
    switch self {
    case .bool: 2
    case .integer, .unsignedInteger, .real, .date: 9
    case .string(let value): 5 + value.utf8.count
    case .data(let value): 5 + value.count
    case .array(let elements): elements.reduce(5) { $0 + $1.encodedSize }
    case .dictionary(let elements):
      elements.reduce(5) { $0 + 4 + $1.key.utf8.count + $1.value.encodedSize }
    }
  }
}
