extension Defaults {
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

    /// The closure gets the name, our value and theirs, and returns what is stored; if it throws,
    /// nothing at all is changed.
    ///
    /// It runs inside of a transaction of the suite, in the order of the names, and must not write
    /// to the suite.
    public static func resolve(
      _ resolve:
        @escaping (_ name: String, _ ours: PropertyListValue, _ theirs: PropertyListValue)
        throws -> PropertyListValue
    ) -> Self {
      Self(resolve: resolve)
    }
  }
}
