import Defaults

extension Defaults {
  /// The names of settings, and the groups that dotted names form: `limits` for `limits.requests`.
  ///
  /// A file may write a setting in full or as a member of nested dictionaries, as in `{"limits":
  /// {"requests": 60}}`. The name of a setting is no group: a dictionary of this name is the
  /// setting's value.
  package struct DeclaredNames: Sendable, Hashable {
    /// The current names.
    package private(set) var current: Set<String> = []
    /// The current and the previous names.
    package private(set) var all: Set<String> = []
    private var groups: Set<String> = []

    package init(_ keys: some Sequence<AnyKey> = []) { for key in keys { insert(key) } }

    /// Creates groups without settings: every member of a group is a setting.
    init(groups: Set<String>) {
      for group in groups { self.groups.formUnion([group] + Self.groups(of: group)) }
    }

    package mutating func insert(_ key: AnyKey) {
      current.insert(key.name)
      all.formUnion(key.allNames)
      for name in key.allNames { groups.formUnion(Self.groups(of: name)) }
    }

    /// Whether a setting has or had this name.
    package func contains(_ name: String) -> Bool { all.contains(name) }

    /// Whether the dictionary of this name holds settings, and isn't one itself.
    package func isGroup(_ name: String) -> Bool { groups.contains(name) && !all.contains(name) }

    /// Whether the name of a setting begins with this one and a dot.
    package func hasMembers(_ name: String) -> Bool { groups.contains(name) }

    /// The parts of a dotted name up to each of its dots, the longest first.
    package static func groups(of name: String) -> [String] {
      splits(of: name).map { String($0.group) }
    }

    /// The parts of a dotted name before and after each of its dots, the longest group first.
    package static func splits(of name: String) -> [(group: Substring, member: Substring)] {
      // By bytes, since a dot and a combining mark are one character. Most names have no dot.
      let bytes = name.utf8
      guard bytes.contains(dot) else { return [] }
      return bytes.indices.reversed().filter { bytes[$0] == dot }.map { index in
        (name[..<index], name[bytes.index(after: index)...])
      }
    }
  }
}

// MARK: - Nested entries

extension Defaults.DeclaredNames {
  /// The entry of a setting's name: the one with the full name, otherwise the member of nested
  /// dictionaries, where the longest names take precedence.
  package func entry(
    of name: String, in entries: [String: PropertyListValue]
  ) -> PropertyListValue? {
    entry(of: name, in: entries, under: "", ignoringSettings: false)
  }

  private func entry(
    of name: String, in entries: [String: PropertyListValue], under path: String,
    ignoringSettings ignoresSettings: Bool
  ) -> PropertyListValue? {
    if let entry = entries[name] { return entry }
    for (group, member) in Self.splits(of: name) {
      let group = String(group)
      guard case .dictionary(let members)? = entries[group],
        ignoresSettings || !contains(path + group)
      else { continue }
      let entry = entry(
        of: String(member), in: members, under: path + group + ".",
        ignoringSettings: ignoresSettings)
      if let entry { return entry }
    }
    return nil
  }

  /// The reason why it isn't obvious which entry a setting's name has, and which one is used; nil
  /// if it is obvious.
  package func ambiguity(of name: String, in entries: [String: PropertyListValue]) -> String? {
    let ways = ways(to: name, in: entries, under: "")
    if ways.count > 1 {
      let used = ways.contains(name) ? "the one with the full name" : "\"\(ways[0])\""
      return "The name occurs \(ways.count) times, in full and nested; \(used) is used"
    }
    // The dictionary of another setting may have been meant as a group.
    guard ways.isEmpty, let group = Self.groups(of: name).first(where: contains),
      entry(of: name, in: entries, under: "", ignoringSettings: true) != nil
    else { return nil }
    return "The name is nested in the setting \"\(group)\" and isn't read; write the full name"
  }

  /// The paths by which a name is found, with a slash between nested names; the one in use first.
  private func ways(
    to name: String, in entries: [String: PropertyListValue], under path: String
  ) -> [String] {
    var ways = entries[name] == nil ? [] : [name]
    for (group, member) in Self.splits(of: name) {
      let group = String(group)
      guard case .dictionary(let members)? = entries[group], !contains(path + group) else {
        continue
      }
      ways += self.ways(to: String(member), in: members, under: path + group + ".").map {
        group + "/" + $0
      }
    }
    return ways
  }

  /// Returns the entries with the full name for each member of a group, and the settings whose
  /// entry is ambiguous, with the reason.
  package func flattened(
    _ entries: [String: PropertyListValue]
  ) -> (entries: [String: PropertyListValue], ambiguities: [String: String]) {
    var flat: [String: PropertyListValue] = [:]
    var ambiguities: [String: String] = [:]
    // Sorted, so that the same one of several entries with one name is used each time.
    forEachEntry(of: entries.sorted { $0.key < $1.key }) { name, value in
      flat[name] = contains(name) ? entry(of: name, in: entries) ?? value : value
    }
    for name in all where hasNested(name, in: entries) {
      if let reason = ambiguity(of: name, in: entries) { ambiguities[name] = reason }
    }
    return (flat, ambiguities)
  }

  /// Whether a dictionary may have a member of this full name.
  private func hasNested(_ name: String, in entries: [String: PropertyListValue]) -> Bool {
    Self.splits(of: name).contains { entries[String($0.group)] != nil }
  }

  /// Calls a body with the full name and the value of each entry, and of each member of a group.
  package func forEachEntry(
    of entries: some Sequence<(key: String, value: PropertyListValue)>, under path: String = "",
    _ body: (String, PropertyListValue) -> Void
  ) {
    for (name, value) in entries {
      let full = path + name
      if case .dictionary(let members) = value, isGroup(full), !Defaults.isReserved(full) {
        forEachEntry(of: members.sorted { $0.key < $1.key }, under: full + ".", body)
      } else {
        body(full, value)
      }
    }
  }

  /// Returns the entries with those of dotted names in nested dictionaries, as far as reading them
  /// gives the same entries: `{"limits": {"requests": 60}}` for `limits.requests`.
  package func nested(_ entries: [String: PropertyListValue]) -> [String: PropertyListValue] {
    var nested = entries
    for (name, value) in entries where current.contains(name) && !Defaults.isReserved(name) {
      let path = name.utf8.split(separator: dot, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
      let groups = Self.groups(of: name)
      guard path.count > 1, !path.contains(""),
        groups.allSatisfy({ isGroup($0) && entries[$0] == nil }),
        !value.isDeeper(than: PropertyListValue.maximumDepth - groups.count)
      else { continue }
      nested[name] = nil
      Self.insert(value, at: path[...], in: &nested)
    }
    return flattened(nested).entries == flattened(entries).entries ? nested : entries
  }

  static func insert(
    _ value: PropertyListValue, at path: ArraySlice<String>,
    in entries: inout [String: PropertyListValue]
  ) {
    guard let first = path.first, path.count > 1 else {
      if let name = path.first { entries[name] = value }
      return
    }
    var members: [String: PropertyListValue] = [:]
    if case .dictionary(let known)? = entries[first] { members = known }
    entries[first] = nil
    insert(value, at: path.dropFirst(), in: &members)
    entries[first] = .dictionary(members)
  }
}

private let dot = UInt8(ascii: ".")
