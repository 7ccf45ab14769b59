extension Defaults {
  /// What happens to an entry that is stored already, and comes from elsewhere with another value.
  public struct ConflictRule: Sendable {
    let resolve:
      @Sendable (String, PropertyListValue, PropertyListValue) throws -> PropertyListValue

    /// The stored entry stays.
    public static let keepOurs = Self { _, ours, _ in ours }

    /// The stored entry is replaced.
    public static let takeTheirs = Self { _, _, theirs in theirs }

    /// The closure gets the name, our value and theirs, and returns what is stored; if it throws,
    /// nothing at all is changed.
    ///
    /// It runs inside of a transaction of the suite, in the order of the names, and must not write
    /// to the suite.
    public static func resolve(
      _ resolve:
        @escaping @Sendable (_ name: String, _ ours: PropertyListValue, _ theirs: PropertyListValue)
        throws -> PropertyListValue
    ) -> Self {
      Self(resolve: resolve)
    }
  }
}
