/// The import of entries into a draft, with its report.
///
/// In a suite of layers, an imported entry is compared with the entry that the writable layer
/// stores: an equal value of another layer may change.
package struct ArrivingEntries {
  private let selection: Defaults.Selection
  private let rule: Defaults.ConflictRule
  /// Whether the differences are those to the values in effect, in a suite of layers.
  private let comparesValuesInEffect: Bool
  /// The path of the imported file, for errors about its entries; nil if it is unknown.
  private let path: String?
  package internal(set) var report = Defaults.ImportReport()

  package init(
    _ selection: Defaults.Selection, _ rule: Defaults.ConflictRule,
    comparesValuesInEffect: Bool = false, path: String? = nil
  ) {
    self.selection = selection
    self.rule = rule
    self.path = path
    self.comparesValuesInEffect = comparesValuesInEffect
  }

  /// Applies all entries of an import, already migrated if migrations are known. With
  /// `collectsRefusals`, records the rejected entries instead of throwing.
  package mutating func take(
    _ entries: [String: PropertyListValue], by mode: Defaults.ImportMode,
    collectsRefusals: Bool = false, in draft: inout Defaults.Draft
  ) throws(SuiteError) {
    let selected = selection.select(from: Set(entries.keys))
    let isWhole =
      selection.isAll && mode.removesOthers && !keepsSettings(but: selected, in: draft)
    try takeVersion(of: entries, isWhole: isWhole, in: &draft)
    for (name, source) in selected.sortedByName where selection.allows(name) {
      guard let imported = entries[source],
        let value = try resolve(imported, named: name, in: draft)
      else { continue }
      do throws(SuiteError) {
        try set(value, named: name, in: &draft)
      } catch {
        guard collectsRefusals else { throw error.about(path: path) }
        note(name, from: old(named: name, in: draft), to: value, refusal: error)
      }
    }
    if mode.removesOthers { removeAll(but: selected, in: &draft) }
  }

  /// Returns whether a replacing import of everything keeps settings that it doesn't replace, and
  /// that have the version of the suite: secrets and, outside of the chosen profile, all settings.
  private func keepsSettings(but replaced: [String: String], in draft: Defaults.Draft) -> Bool {
    let prefix = draft.storedPrefix
    return draft.ofWritable.names.contains { stored in
      guard Defaults.isSetting(stored) else { return false }
      guard stored.utf8.starts(with: prefix.utf8) else { return true }
      let name = prefix.isEmpty ? stored : Defaults.settingName(of: stored)
      return replaced[name] == nil && !mayRemove(name, in: draft)
    }
  }

  /// Brings the draft to the version of the entries, or throws, by the rules of
  /// ``Defaults/Suite/importEntries(_:from:as:by:)``. If migrations are known, the entries have the
  /// program's version.
  private mutating func takeVersion(
    of entries: [String: PropertyListValue], isWhole: Bool, in draft: inout Defaults.Draft
  ) throws(SuiteError) {
    let label = draft.suite.label
    let stored = draft.entry(named: Defaults.versionName)
    let ours = try Defaults.version(of: stored, suite: label)
    let imported = try Defaults.version(
      of: entries[Defaults.versionName], suite: label, path: path)
    guard ours != imported else { return }
    if let plan = draft.suite.knownMigrations, plan.version == imported {
      guard isWhole, try plan.isNeeded(by: stored, in: label) else {
        try plan.migrate(&draft)
        return
      }
    } else if ours < imported {
      let hasSettings = draft.ofWritable.names.contains(where: Defaults.isSetting)
      guard stored == nil, isWhole || !hasSettings else {
        throw SuiteError(
          .newerEntries,
          "The entries to import are of version \(imported), and the suite is of version "
            + "\(ours). Import them with a program that migrates settings to version \(imported)",
          suite: label, path: path)
      }
    } else if !isWhole {
      let version =
        entries[Defaults.versionName] == nil ? "hold no version" : "are of version \(imported)"
      throw SuiteError(
        .olderVersion,
        "The entries to import \(version), the suite is of version \(ours), and no migrations "
          + "are known. Import them with the program itself, after it has called migrate",
        suite: label, path: path)
    }
    try set(.integer(Int64(imported)), named: Defaults.versionName, in: &draft)
  }

  /// Returns the value to store for an imported value; nil, with a line in the report, if the
  /// entry stays unchanged. Throws `unresolved` with the error of the rule.
  mutating func resolve(
    _ imported: PropertyListValue, named name: String, in draft: Defaults.Draft
  ) throws(SuiteError) -> PropertyListValue? {
    selection.key(named: name)?.introduce(to: draft.suite)
    // A managed setting can't be set, so its value in effect counts. The reason doesn't matter.
    let isAccepted = (try? draft.suite.check(imported, named: name)) != nil
    let found =
      isAccepted ? storedEntry(named: name, in: draft) : entry(named: name, in: draft)
    guard let ours = found else { return imported }
    let chosen: PropertyListValue
    do {
      chosen = ours == imported ? ours : try rule.resolve(name, ours, imported)
    } catch {
      let label = draft.suite.label
      throw SuiteError(wrapping: error, .unresolved, suite: label)
        .about(key: name, suite: label).about(path: path)
    }
    if chosen != ours { return chosen }
    report.skipped[name] = ours == imported ? .same : .kept
    if comparesValuesInEffect, ours == imported {
      note(name, from: entry(named: name, in: draft), to: imported)
    }
    return nil
  }

  mutating func set(
    _ value: PropertyListValue, named name: String, in draft: inout Defaults.Draft
  ) throws(SuiteError) {
    let old = old(named: name, in: draft)
    let isNew = storedEntry(named: name, in: draft) == nil
    try draft.suite.support.checkRules(value, named: name)
    if let key = selection.key(named: name) {
      try key.place.defaults.rules(for: name)?.check(value)
      if let problem = key.problem(with: value) { throw problem }
    }
    try draft.setEntry(value, named: name)
    selection.key(named: name)?.removePreviousEntries(in: &draft)
    if isNew { report.added.insert(name) } else { report.updated.insert(name) }
    note(name, from: old, to: value)
  }

  /// Removes all selected entries except some and secrets that an export leaves out; in a suite of
  /// layers, only entries of the writable layer.
  private mutating func removeAll(but kept: [String: String], in draft: inout Defaults.Draft) {
    for (name, source) in selection.select(from: draft.writableNames)
    where kept[name] == nil && mayRemove(name, in: draft) {
      note(name, from: draft.writableEntry(named: source), to: nil)
      draft.removeEntry(named: name)
      selection.key(named: name)?.removePreviousEntries(in: &draft)
      report.removed.insert(name)
    }
  }

  /// Returns whether a replacing import may remove an entry.
  private func mayRemove(_ name: String, in draft: Defaults.Draft) -> Bool {
    selection.allows(name) && !selection.leavesOut(name, in: draft.suite)
  }

  private mutating func note(
    _ name: String, from old: PropertyListValue?, to new: PropertyListValue?,
    refusal: SuiteError? = nil
  ) {
    if old == new, refusal == nil { return }
    report.changes[name] = Defaults.ImportDifference(
      name: name, old: old, new: new, refusal: refusal)
  }

  /// Returns the entry before the import that its difference names.
  private func old(named name: String, in draft: Defaults.Draft) -> PropertyListValue? {
    comparesValuesInEffect ? entry(named: name, in: draft) : storedEntry(named: name, in: draft)
  }

  /// Returns the value in effect.
  private func entry(named name: String, in draft: Defaults.Draft) -> PropertyListValue? {
    selection.key(named: name)?.entry(in: draft) ?? draft.entry(named: name)
  }

  private func storedEntry(named name: String, in draft: Defaults.Draft) -> PropertyListValue? {
    selection.allNames(of: name).lazy.compactMap { draft.writableEntry(named: $0) }.first
  }
}

extension Defaults {
  /// The change that an import makes, or would make, to an entry.
  package struct ImportDifference: Sendable {
    package let name: String
    /// The entry before; nil if there was none.
    package let old: PropertyListValue?
    /// The entry after; nil if it is removed.
    package let new: PropertyListValue?
    /// The reason that the suite rejects the new entry; nil if it accepts it.
    package var refusal: SuiteError?
  }
}
