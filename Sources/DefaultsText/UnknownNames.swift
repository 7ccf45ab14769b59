import Defaults

extension Defaults {
  /// A name in a suite that no key declares.
  public struct UnknownName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The declared name that is most like it; nil if none is.
    public let nearest: String?
    package init(name: String, nearest: String?) {
      self.name = name
      self.nearest = nearest
    }

    /// The name, and what may have been meant.
    @_documentation(visibility: internal)
    public var description: String { escaped(name) + (nearest.map { " (\(escaped($0))?)" } ?? "") }
  }
}

extension Defaults.Suite {
  /// The names of entries that none of the keys declares, sorted, each with the declared name that
  /// may have been meant: what an editor misspelled, or an older version left behind.
  ///
  /// Previous names of keys count as declared, and so do the library's own entries.
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
    return names.subtracting(declared).filter { !Defaults.isReserved($0) }.sorted().map {
      Defaults.UnknownName(name: $0, nearest: NearestName.of($0, in: keys.map(\.name)))
    }
  }
}
