// How a key finds and writes its entry in a suite. A read leaves an entry under a previous name in
// place; a write of the key moves it.

extension Defaults.KeyBase {
  /// Returns the entry of the setting in a suite, under the current name or else under the latest
  /// previous name that has one; nil if there is none.
  package func entry(in suite: any Defaults.Suite) -> PropertyListValue? {
    introduce(to: suite)
    return suite.entry(named: name) ?? previousEntry(in: suite)
  }

  /// Returns the entry of the setting in a draft. An entry under a previous name stays in place
  /// until the setting is written.
  package func entry(in draft: Defaults.Draft) -> PropertyListValue? {
    introduce(to: draft.suite)
    return draft.entry(named: name) ?? previous(in: draft.entry(named:))
  }

  /// Registers the key with a suite that may not know it: a secret's names, to redact their values,
  /// and in a suite of layers the key itself, to parse its texts.
  package func introduce(to suite: any Defaults.Suite) {
    introduce(to: suite, storedIn: suite.stored)
  }

  func introduce(to suite: any Defaults.Suite, storedIn stored: Defaults.StoredSuite?) {
    stored?.persistence.addKey(self)
    if isSecret, !place.isSame(as: suite) { redact(in: suite.support) }
  }

  package func redact(in support: Defaults.SuiteSupport) {
    if isSecret { support.defaultsOfKeys.secretNames.add(allNames) }
  }

  /// Returns the entry of a setting that has none under its current name.
  func previousEntry(in suite: any Defaults.Suite) -> PropertyListValue? {
    if previousNames.isEmpty || suite.stored?.derived?.resolvesPreviousNames == true { return nil }
    // Another thread may have set the key, and so moved the entry, since the first look-up.
    return previous(in: suite.entry(named:)) ?? suite.entry(named: name)
  }

  /// Returns the entry under the latest previous name that has one.
  private func previous(in entry: (String) -> PropertyListValue?) -> PropertyListValue? {
    for name in previousNames {
      if let entry = entry(name) { return entry }
    }
    return nil
  }

  /// Makes an edit that was validated before, and removes the entries under previous names.
  ///
  /// - Throws: The reason that the edit can't be made. A suite on a file makes it in memory at
  ///   least, and reports failures to write the file. It throws only if it was opened with
  ///   `readOnly: true`, in a forked child, if the suite would be too large, or if the caller's
  ///   transaction of another suite times out waiting for a lock.
  package func store(_ edit: Edit, in suite: any Defaults.Suite) throws(SuiteError) {
    if let stored = suite.stored, previousNames.isEmpty {
      return try stored.commit(edit, named: name)
    }
    // Not `suite.write`, which reports the error.
    try suite.commit { write(edit, in: &$0) }
  }

  /// Makes an edit of the entry in a draft, and removes the entries under previous names, so that
  /// removing the setting doesn't bring an old value back.
  package func write(_ edit: Edit, in draft: inout Defaults.Draft) {
    draft.write(edit, named: name)
    removePreviousEntries(in: &draft)
  }

  /// Removes the entry, also under previous names, so that the key has its default value again.
  public func reset() {
    let suite = suite
    suite.support.reporting { () throws(SuiteError) in try store(.remove, in: suite) }
  }

  func removePreviousEntries(in draft: inout Defaults.Draft) {
    for name in previousNames { draft.removeEntry(named: name) }
  }
}
