extension Defaults {
  /// The way in which imported entries are combined with stored entries.
  public struct ImportMode {
    package let rule: ConflictRule
    /// Whether selected entries that aren't imported are removed, except secrets.
    let removesOthers: Bool

    /// Imported entries replace stored entries, and other selected entries are removed. Secrets
    /// that aren't imported stay, since exports leave them out, unless the selection is
    /// ``Selection/includingSecrets``.
    public static var replace: Self { Self(rule: .takeTheirs, removesOthers: true) }

    /// Imported entries replace stored entries. Other entries stay.
    public static var merge: Self { .merge(.takeTheirs) }

    /// A rule decides between a stored and an imported entry that differ. Other entries stay.
    public static func merge(_ rule: ConflictRule) -> Self {
      Self(rule: rule, removesOthers: false)
    }

    /// A closure decides between a stored and an imported entry that differ. Other entries stay.
    /// The closure gets the name, the stored and the imported value, and returns the value to
    /// store. See ``ConflictRule/resolve(_:)``.
    public static func merge(
      _ resolve:
        @escaping (_ name: String, _ old: PropertyListValue, _ new: PropertyListValue)
        throws -> PropertyListValue
    ) -> Self {
      .merge(.resolve(resolve))
    }
  }

  /// The decision between a stored entry and a different imported entry.
  ///
  /// Create a rule where it is used: its closure may capture anything, and doesn't escape the call.
  public struct ConflictRule {
    let resolve: (String, PropertyListValue, PropertyListValue) throws -> PropertyListValue

    /// Keeps the stored entry.
    public static var keepOurs: Self { Self { _, ours, _ in ours } }

    /// Replaces the stored entry.
    public static var takeTheirs: Self { Self { _, _, theirs in theirs } }

    /// Calls a closure, which gets the name, the stored and the imported value, and returns the
    /// value to store. If it throws, nothing is changed, and the import throws
    /// ``SuiteError/Code/unresolved`` with the error.
    ///
    /// It runs inside a transaction of the suite, in the order of the names. It runs again if an
    /// entry that the import has read changes before the commit. It must not write to the suite.
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
  /// The closure of a conflict rule threw the underlying error. Nothing was changed.
  public static let unresolved = Self(rawValue: "unresolved")
}
