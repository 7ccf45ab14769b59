extension Defaults {
  /// The entries to export or import: all entries, or the entries of some names or keys.
  ///
  /// ```swift
  /// try suite.exportString(.keys(.volume, .nickname), as: .json)
  /// ```
  public struct Selection: Sendable {
    private enum Content {
      case all
      case names(Set<String>)
      case keys([String: AnyKey])
      case prefix(String)
    }

    private let content: Content
    /// Whether secret settings are also exported, and removed by a replacing import.
    private var includesSecrets = false
    /// Whether entries of profiles are also exported and imported.
    package var includesProfiles = false

    /// Every entry.
    public static let all = Self(content: .all)

    /// The entries with these names.
    public static func names(_ name: String, _ more: String...) -> Self { .names([name] + more) }

    /// The entries with these names.
    public static func names(_ names: some Sequence<String>) -> Self {
      Self(content: .names(Set(names)))
    }

    /// The entries of keys, whichever suite they were declared with. If two keys have one name, the
    /// last key is used.
    ///
    /// An entry under a previous name of a key belongs to the key: it is exported, imported and
    /// reported under the current name.
    public static func keys(_ key: AnyKey, _ more: AnyKey...) -> Self { .keys([key] + more) }

    /// The entries of keys; see the variadic form.
    public static func keys(_ keys: some Sequence<AnyKey>) -> Self {
      var byName: [String: AnyKey] = [:]
      for key in keys { byName[key.name] = key }
      return Self(content: .keys(byName))
    }

    /// The same entries, including secret settings: see ``Trait/secret``.
    public var includingSecrets: Self {
      var selection = self
      selection.includesSecrets = true
      return selection
    }

    /// Whether an entry of this name may be exported and imported, if it is selected.
    package func allows(_ name: String) -> Bool {
      !isReserved(name) || includesProfiles && isOfProfiles(name)
    }

    /// The entries whose names begin with a prefix.
    public static func prefix(_ prefix: String) -> Self { Self(content: .prefix(prefix)) }
  }
}

extension Defaults.Selection {
  var isAll: Bool { if case .all = content { true } else { false } }

  /// The listed names, for keys the current ones; nil for all entries and for a prefix.
  var listed: Set<String>? {
    switch content {
    case .all, .prefix: nil
    case .names(let names): names
    case .keys(let keys): Set(keys.keys)
    }
  }

  /// Whether an entry is a secret that isn't exported, and that a replacing import therefore keeps.
  func leavesOut(_ name: String, in suite: any Defaults.Suite) -> Bool {
    if includesSecrets { return false }
    return suite.support.isSecret(name) || key(named: name).map(suite.isSecret) ?? false
  }

  /// Returns the key of a name, if keys were listed.
  func key(named name: String) -> Defaults.AnyKey? {
    if case .keys(let keys) = content { keys[name] } else { nil }
  }

  /// Returns a name and, if it is of a listed key, the key's previous names.
  func allNames(of name: String) -> [String] { key(named: name)?.allNames ?? [name] }

  /// Returns the selected names, each with the name in `names` under which its entry is stored: for
  /// a key, that may be a previous name.
  func select(from names: Set<String>) -> [String: String] {
    var selected: [String: String] = [:]
    switch content {
    case .all: for name in names { selected[name] = name }
    case .names(let listed): for name in names where listed.contains(name) { selected[name] = name }
    case .prefix(let start): for name in names where name.hasPrefix(start) { selected[name] = name }
    case .keys(let keys):
      for key in keys.values { selected[key.name] = key.allNames.first(where: names.contains) }
    }
    return selected
  }

  /// Returns entries that were read from JSON, with decimal numbers as their keys read them.
  package func entries(
    ofDecimals entries: [String: PropertyListValue]
  ) -> [String: PropertyListValue] {
    var result = entries
    for (name, source) in select(from: Set(entries.keys)) {
      guard let key = key(named: name), let entry = entries[source] else { continue }
      result[source] = key.entry(ofDecimals: entry)
    }
    return result
  }
}
