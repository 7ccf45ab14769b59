extension Defaults {
  /// Which entries are exported or imported: all, or those of some names or keys.
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
    /// Whether secret settings are exported, too.
    private(set) var includesSecrets = false

    private init(content: Content) { self.content = content }

    /// Every entry.
    public static let all = Self(content: .all)

    /// The entries of these names.
    public static func names(_ names: String...) -> Self { .names(names) }

    /// The entries of these names.
    public static func names(_ names: some Sequence<String>) -> Self {
      Self(content: .names(Set(names)))
    }

    /// The entries of keys, whichever suite they were declared with; of two keys with one name, the
    /// last one counts.
    ///
    /// An entry under a name that the key had before is one of the key: it is exported, imported
    /// and reported under the present name.
    public static func keys(_ keys: AnyKey...) -> Self { .keys(keys) }

    /// The entries of keys; see the variadic form.
    public static func keys(_ keys: [AnyKey]) -> Self {
      Self(content: .keys(Dictionary(keys.map { ($0.name, $0) }) { _, last in last }))
    }

    /// The same entries, those of secret settings among them: see ``Trait/secret``.
    public var includingSecrets: Self {
      var selection = self
      selection.includesSecrets = true
      return selection
    }

    /// The entries whose names begin so.
    public static func prefix(_ prefix: String) -> Self { Self(content: .prefix(prefix)) }
  }
}

extension Defaults.Selection {
  var isAll: Bool { if case .all = content { true } else { false } }

  /// The names that were listed one by one; of keys, the present ones.
  var listed: Set<String> {
    switch content {
    case .all, .prefix: []
    case .names(let names): names
    case .keys(let keys): Set(keys.keys)
    }
  }

  /// The names to look for elsewhere: those that are listed, and those that listed keys had before;
  /// nil for all.
  var sought: Set<String>? {
    switch content {
    case .all, .prefix: nil
    case .names(let names): names
    case .keys(let keys): Set(keys.values.flatMap(\.allNames))
    }
  }

  /// The key of a name, where keys were listed.
  func key(named name: String) -> Defaults.AnyKey? {
    if case .keys(let keys) = content { keys[name] } else { nil }
  }

  /// What is selected of what is there by name; of keys by their present names, and what lies under
  /// the latest name that has something.
  func select<Found>(from found: [String: Found]) -> [String: Found] {
    switch content {
    case .all: found
    case .names(let names): found.filter { names.contains($0.key) }
    case .prefix(let prefix): found.filter { $0.key.hasPrefix(prefix) }
    case .keys(let keys):
      keys.compactMapValues { key in
        ([key.name] + key.previousNames).lazy.compactMap { found[$0] }.first
      }
    }
  }
}
