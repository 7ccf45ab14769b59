extension Defaults {
  /// Which entries are exported or imported: all, or those of some names or keys.
  ///
  /// ```swift
  /// try suite.exportString(.keys(.volume, .nickname), as: .json)
  /// ```
  public struct Selection: Sendable {
    private enum Content: Sendable {
      case all
      case names(Set<String>)
      case keys([String: AnyKey])
      case prefix(String)
    }

    private let content: Content

    /// Every entry.
    public static let all = Self(content: .all)

    /// The entries of these names.
    public static func names(_ names: String...) -> Self { .names(names) }

    /// The entries of these names.
    public static func names(_ names: some Sequence<String>) -> Self {
      Self(content: .names(Set(names)))
    }

    /// The entries of keys, whichever suite they were declared with; of two with one name, the last
    /// one counts.
    public static func keys(_ keys: AnyKey...) -> Self { .keys(keys) }

    /// The entries of keys, whichever suite they were declared with; of two with one name, the last
    /// one counts.
    public static func keys(_ keys: [AnyKey]) -> Self {
      Self(content: .keys(Dictionary(keys.map { ($0.name, $0) }) { _, last in last }))
    }

    /// The entries whose names begin so.
    public static func prefix(_ prefix: String) -> Self { Self(content: .prefix(prefix)) }

    /// Whether the entry of a name is among them.
    public func contains(_ name: String) -> Bool {
      switch content {
      case .all: true
      case .names(let names): names.contains(name)
      case .keys(let keys): keys[name] != nil
      case .prefix(let prefix): name.hasPrefix(prefix)
      }
    }

    var isAll: Bool { if case .all = content { true } else { false } }

    /// The names that were listed one by one.
    var listed: Set<String> {
      switch content {
      case .all, .prefix: []
      case .names(let names): names
      case .keys(let keys): Set(keys.keys)
      }
    }

    /// The key of a name, where keys were listed.
    func key(named name: String) -> AnyKey? {
      if case .keys(let keys) = content { keys[name] } else { nil }
    }
  }
}
