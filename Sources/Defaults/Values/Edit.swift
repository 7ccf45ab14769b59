extension Defaults {
  /// A change of one entry: setting or removing it.
  public enum Edit: Sendable, Hashable {
    /// The entry becomes this value.
    case set(PropertyListValue)
    /// The entry is removed; reading its name gives the default again.
    case remove

    /// Creates the edit that results in this entry, or a removal for nil.
    package init(entry: PropertyListValue?) { self = entry.map(Edit.set) ?? .remove }

    /// The entry that results from the edit; nil for `remove`.
    public var entry: PropertyListValue? {
      switch self {
      case .set(let value): value
      case .remove: nil
      }
    }
  }
}

// MARK: - Reserved names and limits

extension Defaults {
  /// The name of the entry that holds the version to which a suite was migrated, an integer; see
  /// ``Suite/migrate(to:steps:)``. Exports contain it. Don't change it.
  public static let versionName = "Defaults.version"

  /// The name of the entry that records what was imported from `UserDefaults`, so that the same
  /// values aren't imported again; see ``Suite/importUserDefaults(_:from:domain:conflicts:)``.
  /// Remove the entry to import them again. The record belongs to this installation, so it isn't
  /// exported.
  public static let importedName = "Defaults.imported"

  /// The name of the entry for `"$schema"` at the top of a JSON file, the reference to the file's
  /// JSON Schema; see ``JSONFormat``. The reference belongs to that file, so imports, layers and
  /// exports ignore it. A store on a JSON file preserves it.
  public static let schemaName = "Defaults.schema"

  /// Whether an entry of this name belongs to the library and isn't a setting.
  package static func isReserved(_ name: String) -> Bool {
    name == versionName || name == importedName || name == schemaName || name == syncName
      || isOfProfiles(name)
  }

  /// Whether an entry of this name belongs to profiles: a setting of one, or the library's own.
  package static func isOfProfiles(_ name: String) -> Bool {
    name == profileName || name.utf8.starts(with: profilesPrefix.utf8)
  }

  /// Whether an entry of this name is a setting, in or outside of a profile.
  package static func isSetting(_ name: String) -> Bool {
    !isReserved(name) || settingName(of: name) != name
  }

  /// The name of the entry that holds the name of the chosen profile of a suite of layers.
  package static let profileName = "Defaults.profile"

  /// The name of the entry with the mark of a synced suite. Its changes aren't announced to
  /// observers.
  package static let syncName = "Defaults.sync"

  /// The name of the layer that receives writes, in ``Change/layer``.
  package static let writableLayerName = "user"

  /// The prefix of the names of all entries of profiles.
  package static let profilesPrefix = "Defaults.profiles."

  /// Returns the name under which an entry is stored. The library's own entries have no prefix.
  static func storedName(of name: String, after prefix: String) -> String {
    prefix.isEmpty || isReserved(name) ? name : prefix + name
  }

  /// Returns the name of a setting, without its profile: `volume` for
  /// `Defaults.profiles.work.volume`. Other names are unchanged.
  package static func settingName(of name: String) -> String {
    guard name.utf8.starts(with: profilesPrefix.utf8) else { return name }
    let rest = name.utf8.dropFirst(profilesPrefix.utf8.count)
    guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return name }
    return String(name[rest.index(after: dot)...])
  }

  /// The maximum sizes, in bytes. A larger value or suite is rejected when a setting is set, so a
  /// limit never truncates stored data or makes it unreadable.
  package enum SizeLimit {
    /// A value, encoded as in the journal.
    package static let value = 64 << 20
    /// All entries of a suite, encoded as in the journal.
    static let suite = 128 << 20
    /// A journal. It becomes large only if no snapshot can be written for a long time. Changes that
    /// don't fit wait in memory.
    static let journal = 768 << 20
    /// A journal that is read, including its last record and the allocated space after it.
    static let readableJournal = 1 << 30
    /// A property list file that is read or written. Twice the size that the suite's limit allows
    /// in either format in the worst case, except for XML text of control characters.
    static let file = 1 << 30
  }
}

extension Defaults.PropertyListValue {
  /// The size of the value in a journal, in bytes.
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
