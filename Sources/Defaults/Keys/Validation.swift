extension Defaults {
  /// All problems that ``Suite/validate(_:)-([Defaults.AnyKey])`` found.
  ///
  /// ```
  /// 2 problems in the settings:
  ///   /etc/app.json, line 4: "prot": No setting has this name; did you mean "port"?
  ///   APP_VOLUME: "volume": 99 isn't in 0...11
  /// ```
  public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// The problems of whole layers, followed by the problems of single settings.
    public let problems: [SuiteError]

    /// A line with the number of problems, then a line for each.
    @_documentation(visibility: internal)
    public var description: String {
      let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
      return (["\(count) in the settings:"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
  }
}

extension Defaults.Suite {
  /// Checks all settings, for a program that must not start with invalid settings.
  ///
  /// ```swift
  /// do {
  ///   try suite.validate(Preferences.standard.keys)
  /// } catch {
  ///   print(error)  // lists each problem with its file or variable
  ///   exit(78)
  /// }
  /// ```
  ///
  /// These are problems:
  /// - a required setting without a value;
  /// - an entry in any layer that isn't a valid value of its key, even if it is overridden;
  /// - a layer that can't be read;
  /// - a name in a layer's file that no key declares, unless the layer allows unknown names. An
  ///   environment variable with the prefix of a layer that no key reads is only an issue.
  ///
  /// Unknown names in the suite's own file aren't problems: another version of the program may have
  /// written them.
  ///
  /// In a suite of layers, unknown names that appear later in files of layers are reported as
  /// issues.
  ///
  /// - Parameter keys: All keys of the program, of one or several schemas.
  /// - Throws: One error with all problems.
  public func validate(_ keys: [Defaults.AnyKey]) throws(Defaults.ValidationError) {
    let problems = problems(declaring: keys)
    guard problems.isEmpty else { throw Defaults.ValidationError(problems: problems) }
  }

  /// Returns the problems that ``validate(_:)-([Defaults.AnyKey])`` throws.
  package func problems(declaring keys: [Defaults.AnyKey]) -> [SuiteError] {
    for key in keys { key.introduce(to: self) }
    let problems = stored?.derived?.problems(declaring: keys) ?? []
    let isDerived = stored?.derived != nil
    return problems
      + keys.compactMap { key in
        guard let problem = key.startProblem(in: self) else { return nil }
        // The layers have reported an invalid entry with its place, but they have no defaults.
        return isDerived && problem.code != .missing && contains(key) ? nil : problem
      }
  }
}
