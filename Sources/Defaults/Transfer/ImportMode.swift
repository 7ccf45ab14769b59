extension Defaults {
  /// How imported entries come together with those that are stored.
  public struct ImportMode {
    let rule: ConflictRule
    /// Whether entries that are selected and not imported are removed.
    let removesOthers: Bool

    /// The stored entries are then the imported ones: others are removed. With a selection, it does
    /// so among the entries that are selected.
    public static var replace: Self { Self(rule: .takeTheirs, removesOthers: true) }

    /// Imported entries win, others stay.
    public static var merge: Self { .merge(.takeTheirs) }

    /// Others stay; where both sides have an entry and differ, the rule decides.
    public static func merge(_ rule: ConflictRule) -> Self {
      Self(rule: rule, removesOthers: false)
    }

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

  /// What happens to an entry that is stored already, and comes from elsewhere with another value.
  ///
  /// Made where it is used: its closure may capture what it likes, and runs before the call
  /// returns.
  public struct ConflictRule {
    let resolve: (String, PropertyListValue, PropertyListValue) throws -> PropertyListValue

    /// The stored entry stays.
    public static var keepOurs: Self { Self { _, ours, _ in ours } }

    /// The stored entry is replaced.
    public static var takeTheirs: Self { Self { _, _, theirs in theirs } }

    /// The closure gets the name, our value and theirs, and returns what is stored. If it throws,
    /// nothing is changed, and the import throws ``SuiteError/Code/unresolved`` with the error.
    ///
    /// It runs inside of a transaction of the suite, in the order of the names, and again if that is
    /// overtaken by another change. It must not write to the suite.
    public static func resolve(
      _ resolve:
        @escaping (_ name: String, _ ours: PropertyListValue, _ theirs: PropertyListValue)
        throws -> PropertyListValue
    ) -> Self {
      Self(resolve: resolve)
    }
  }
}

extension Defaults.SuiteError.Code {
  /// The closure of a conflict rule threw, and its error is the underlying one; nothing was changed.
  public static let unresolved = Self(rawValue: "unresolved")
}
