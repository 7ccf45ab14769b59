extension Defaults.Suite {
  /// Migrates the entries to the version of a schema or settings class by its
  /// ``StoredProperties/migrations``; see ``migrate(to:steps:)``.
  ///
  /// ```swift
  /// struct Preferences: Defaults.Schema {
  ///   static let migrations: [Defaults.Migration] = [
  ///     .init(1) { draft in try draft.renameEntry("tint", to: "color") }
  ///   ]
  ///   @Stored var color = "red"
  /// }
  ///
  /// try Defaults.standard.migrate(Preferences.self)
  /// ```
  @discardableResult
  public func migrate(
    _ schema: (some Defaults.StoredProperties).Type
  ) throws(Defaults.SuiteError) -> Int {
    let steps = schema.migrations
    return try migrate(to: steps.last?.version ?? 0, steps: steps)
  }
}
