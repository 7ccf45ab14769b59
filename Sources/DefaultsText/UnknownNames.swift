import Defaults

extension Defaults {
  /// A name in a suite that no key declares.
  public struct UnknownName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The most similar declared name; nil if none is similar.
    public let nearest: String?
    package init(name: String, nearest: String?) {
      self.name = name
      self.nearest = nearest
    }

    /// The name, and the suggestion.
    @_documentation(visibility: internal)
    public var description: String { escaped(name) + (nearest.map { " (\(escaped($0))?)" } ?? "") }
  }
}

extension Defaults.Suite {
  /// Returns the names of entries that none of the keys declares, sorted, each with the declared
  /// name that was probably meant. Undeclared names come from spelling mistakes in an editor, or
  /// from other versions of the program.
  ///
  /// Previous names of keys, and the names of the library's own entries, are treated as declared.
  ///
  /// - Parameter keys: The keys of all settings.
  public func unknownNames(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownName] {
    Defaults.UnknownName.all(in: names, declaring: keys)
  }
}

extension Defaults.UnknownName {
  /// The names that none of the keys declares, sorted.
  package static func all(
    in names: Set<String>, declaring keys: [Defaults.AnyKey]
  ) -> [Defaults.UnknownName] {
    let declared = Set(keys.flatMap(\.allNames))
    return names.subtracting(declared).sorted().compactMap { name in
      // Without the profile that the entry belongs to.
      let setting = Defaults.settingName(of: name)
      if declared.contains(setting) || !Defaults.isSetting(name) { return nil }
      return Defaults.UnknownName(
        name: name, nearest: NearestName.of(setting, in: keys.map(\.name)))
    }
  }
}
