extension Defaults.Suite {
  /// Checks all settings of a schema, for a program that must not start with invalid settings; see
  /// ``validate(_:)-([Defaults.AnyKey])``.
  ///
  /// ```swift
  /// try suite.validate(Preferences.self)
  /// ```
  ///
  /// - Throws: One error with all problems.
  public func validate(
    _ schema: (some Defaults.Schema).Type
  ) throws(Defaults.ValidationError) {
    try validate(schema.init(suite: self).keys)
  }
}
