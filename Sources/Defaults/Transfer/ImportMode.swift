extension Defaults {
  /// How imported entries come together with those that are stored.
  public struct ImportMode {
    enum Content {
      case replace
      case merge(ConflictRule)
    }

    let content: Content

    /// The stored entries are then the imported ones: others are removed. With a selection, it does
    /// so among the entries that are selected.
    public static var replace: Self { Self(content: .replace) }

    /// Imported entries win, others stay.
    public static var merge: Self { Self(content: .merge(.takeTheirs)) }

    /// Others stay; where both sides have an entry and differ, the rule decides.
    public static func merge(_ rule: ConflictRule) -> Self { Self(content: .merge(rule)) }

    /// Others stay; where both sides have an entry and differ, the closure gets the name, the
    /// stored and the imported value, and returns what is stored. See ``ConflictRule/resolve(_:)``.
    public static func merge(
      _ resolve:
        @escaping (_ name: String, _ old: PropertyListValue, _ new: PropertyListValue)
        throws -> PropertyListValue
    ) -> Self {
      .merge(.resolve(resolve))
    }
  }
}
