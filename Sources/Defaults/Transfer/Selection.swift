extension Defaults {
  /// Which entries are exported or imported: all, or those of some names or keys.
  ///
  /// ```swift
  /// try suite.exportString(.keys(.volume, .nickname), as: .json)
  /// ```
  public struct Selection: Sendable {
    fileprivate indirect enum Content: Sendable {
      case all
      case either(Content, names: Set<String>)
      case names(Set<String>)
      case keys([String: AnyKey])
      case prefix(String)
    }

    fileprivate let content: Content

    /// Every entry.
    public static let all = Self(content: .all)

    /// The entries of these names.
    public static func names(_ names: String...) -> Self { .names(names) }

    /// The entries of these names.
    public static func names(_ names: some Sequence<String>) -> Self {
      Self(content: .names(Set(names)))
    }

    /// The entries of keys, whichever suite they were declared with, also under names that the keys
    /// had before; of two with one name, the last one counts.
    public static func keys(_ keys: AnyKey...) -> Self { .keys(keys) }

    /// The entries of keys; see the variadic form.
    public static func keys(_ keys: [AnyKey]) -> Self {
      Self(content: .keys(Dictionary(keys.map { ($0.name, $0) }) { _, last in last }))
    }

    /// The entries whose names begin so.
    public static func prefix(_ prefix: String) -> Self { Self(content: .prefix(prefix)) }

    /// Whether the entry of a name is among them; of a key that was renamed, only the present name
    /// counts here.
    public func contains(_ name: String) -> Bool { content.contains(name) }

    var isAll: Bool { if case .all = content { true } else { false } }

    /// The names that were listed one by one.
    var listed: Set<String> { content.listed }

    /// The key of a name, where keys were listed.
    func key(named name: String) -> AnyKey? {
      if case .keys(let keys) = content { keys[name] } else { nil }
    }

    /// The names that listed keys had before, by the present ones.
    var previousNames: [String: [String]] {
      guard case .keys(let keys) = content else { return [:] }
      return keys.mapValues(\.previousNames).filter { !$0.value.isEmpty }
    }

    /// These and some names.
    func adding(_ names: [String]) -> Self {
      Self(content: .either(content, names: Set(names)))
    }
  }
}

extension Defaults.Selection.Content {
  fileprivate func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .either(let content, let names): names.contains(name) || content.contains(name)
    case .names(let names): names.contains(name)
    case .keys(let keys): keys[name] != nil
    case .prefix(let prefix): name.hasPrefix(prefix)
    }
  }

  fileprivate var listed: Set<String> {
    switch self {
    case .all, .prefix: []
    case .either(let content, let names): content.listed.union(names)
    case .names(let names): names
    case .keys(let keys): Set(keys.keys)
    }
  }
}
