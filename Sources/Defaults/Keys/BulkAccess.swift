extension Defaults.Suite {
  /// Sets the values of several keys in one transaction; if one of them can't be stored, none is
  /// stored.
  ///
  /// ```swift
  /// try suite.setValues((.volume, 5), (.nickname, "Bo"), skippingPresent: true)
  /// ```
  ///
  /// - Parameters:
  ///   - value: A key and its new value.
  ///   - more: Further keys with their values.
  ///   - skippingPresent: Whether existing entries stay as they are.
  /// - Returns: The names that were set, including names with an unchanged value.
  /// - Throws: The error of the first value that can't be stored, or of the transaction. In both
  ///   cases nothing was changed.
  @discardableResult
  public func setValues<First, each Value>(
    _ value: (Defaults.Key<First>, First),
    _ more: repeat (Defaults.Key<each Value>, each Value), skippingPresent: Bool = false
  ) throws(Defaults.SuiteError) -> Set<String> {
    try exactly { draft throws(SuiteError) in
      var names: Set<String> = []
      func set<Other>(_ value: Other, for key: Defaults.Key<Other>) throws(SuiteError) {
        if skippingPresent, key.entry(in: draft) != nil { return }
        try draft.set(value, for: key)
        names.insert(key.name)
      }
      try set(value.1, for: value.0)
      for (key, value) in repeat each more { try set(value, for: key) }
      return names
    }
  }

  /// Sets several entries in one transaction; if one of them can't be stored, none is stored. The
  /// rules of keys don't apply.
  ///
  /// - Parameters:
  ///   - entries: The new entries by name.
  ///   - skippingPresent: Whether existing entries stay as they are.
  /// - Returns: The names that were set, including names with an unchanged entry.
  /// - Throws: The error of the first entry that can't be stored, or of the transaction. In both
  ///   cases nothing was changed.
  @discardableResult
  public func setEntries(
    _ entries: [String: Defaults.PropertyListValue], skippingPresent: Bool = false
  ) throws(Defaults.SuiteError) -> Set<String> {
    try exactly { draft throws(SuiteError) in
      var names: Set<String> = []
      for (name, value) in entries {
        if skippingPresent, draft.entry(named: name) != nil { continue }
        try draft.setEntry(value, named: name)
        names.insert(name)
      }
      return names
    }
  }

  /// Adds to the value of a key atomically across threads and processes; see ``update(_:_:)``.
  /// In a suite of layers, adds to the value in effect, and stores the sum in the writable layer.
  ///
  /// - Returns: The new value.
  /// - Throws: `overflow` if the type can't hold the sum, `undecodable` if the entry isn't a value
  ///   of the key, `invalid` if a rule rejects the entry or the sum, `missing` if a required
  ///   setting has no value, `managed` if an administrator prescribes the setting, `locked` if
  ///   another process doesn't release the lock, `unwritable` if the change can't be stored, and
  ///   the other errors of a transaction. After any error, the value is unchanged.
  @discardableResult
  public func increment<Value: FixedWidthInteger>(
    _ key: Defaults.Key<Value>, by amount: Value = 1
  ) throws(Defaults.SuiteError) -> Value {
    try exactly { draft throws(SuiteError) in
      let value = try draft.value(for: key)
      let (sum, isOver) = value.addingReportingOverflow(amount)
      guard !isOver else {
        throw SuiteError(
          .overflow,
          "The sum of \(isSecret(key) ? "the value" : "\(value)") and \(amount) doesn't fit "
            + "\(Value.self); the value was not changed",
          suite: label, key: key.name)
      }
      try draft.set(sum, for: key)
      return sum
    }
  }

  /// Returns the names of all entries that begin with a prefix.
  public func names(prefix: String) -> Set<String> { names.filter { $0.hasPrefix(prefix) } }
}

extension Defaults.SuiteError.Code {
  /// The type of a key can't hold the result of an increment; the value wasn't changed.
  public static let overflow = Self(rawValue: "overflow")
}
