import Foundation

extension Defaults.Suite {
  /// Imports what a program stored in Foundation's `UserDefaults`, once, in one transaction.
  ///
  /// ```swift
  /// let report = try suite.importUserDefaults(.keys(.volume, .isUnicorn), from: .standard)
  /// ```
  ///
  /// With `.keys`, each value is converted to the form of its key. A stored 1 becomes `true` for a
  /// bool, and text becomes a number or bool if the key has that type. JSON text is read wherever
  /// other libraries for typed access to `UserDefaults` stored it. A value that can't be converted
  /// is skipped. A value under a previous name of a key is imported and reported under the current
  /// name. Without keys, values are imported as they are. Nothing is removed from `UserDefaults`.
  ///
  /// Call it at every launch: a name that was imported, or rejected by the rule, is recorded in the
  /// entry ``Defaults/importedName`` and skipped from then on, whatever changes on either side. A
  /// missing or unusable value is checked again at the next call.
  ///
  /// No migration runs: values are treated as current, because `UserDefaults` has no version. To
  /// import values of an older form, call this before ``migrate(to:steps:)``. To move a
  /// ``UserDefaultsSuite`` with its version, import its entries with ``importEntries(_:from:by:)``.
  ///
  /// - Parameters:
  ///   - selection: The keys or names to look for; everything by default.
  ///   - userDefaults: The source of the values.
  ///   - domain: The name of the domain to import, as in `UserDefaults(suiteName:)`. Without it,
  ///     the import sees what `object(forKey:)` finds, except for arguments, registered defaults
  ///     and settings of all programs. On Linux, the import can't distinguish registered defaults
  ///     from stored values, so name the domain if you can. Each domain is recorded separately.
  ///   - conflicts: The rule for entries that have another value in the suite.
  /// - Returns: The names that were imported and skipped, with the reasons.
  /// - Throws: The reason that the transaction can't be made, or `unresolved` with the error of a
  ///   conflict rule's closure. In both cases nothing was changed.
  @discardableResult
  public func importUserDefaults(
    _ selection: Defaults.Selection = .all, from userDefaults: UserDefaults, domain: String? = nil,
    conflicts: Defaults.ConflictRule = .keepOurs
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    let source = UserDefaultsSource(userDefaults: userDefaults, domain: domain)
    let listed = selection.listed
    let found = source.found(listed.map { Set($0.flatMap(selection.allNames)) })
    // A value of a type that can't be stored doesn't hide a value under a previous name.
    let usable = found.filter { if case .value = $0.value { true } else { false } }
    let selected = selection.select(from: Set(usable.keys))
      .merging(selection.select(from: Set(found.keys))) { first, _ in first }
    return try exactly { draft throws(SuiteError) in
      var arriving = ArrivingEntries(selection, conflicts)
      var known = ImportedNames(draft.entry(named: Defaults.importedName), of: domain ?? "")
      for name in (listed ?? []).union(selected.keys).inByteOrder {
        let names = selection.allNames(of: name)
        let theirs = selected[name].flatMap { found[$0] }
        if names.contains(where: known.names.contains) {
          arriving.report.skipped[name] = .importedBefore
        } else if let reason = try take(theirs, named: name, selection, &arriving, &draft) {
          // A later import may find another value.
          arriving.report.skipped[name] = reason
        } else {
          known.names.insert(name)
        }
      }
      if !known.names.isEmpty { try draft.setEntry(known.entry, named: Defaults.importedName) }
      return arriving.report
    }
  }

  /// Imports a value into the draft as the rule decides, or returns the reason that it can't be
  /// imported. Throws the error of the conflict rule.
  private func take(
    _ found: UserDefaultsSource.Found?, named name: String,
    _ selection: Defaults.Selection, _ arriving: inout ArrivingEntries,
    _ draft: inout Defaults.Draft
  ) throws(SuiteError) -> Defaults.ImportReport.Reason? {
    guard let found else { return .missing }
    if Defaults.isReserved(name) { return .reserved }
    let theirs: PropertyListValue
    switch found {
    case .skipped(let reason): return reason
    case .value(let value):
      do throws(SuiteError) {
        let key = selection.key(named: name) as? any KeyOfForeignEntries
        theirs = try key?.edit(forForeign: value, in: self).entry ?? value
        try check(theirs, named: name)
      } catch {
        return .unusable(error)
      }
    }
    guard let chosen = try arriving.resolve(theirs, named: name, in: draft) else { return nil }
    do throws(SuiteError) {
      try arriving.set(chosen, named: name, in: &draft)
    } catch {
      return .unusable(error)
    }
    return nil
  }
}

/// The names that were imported from one domain, in the entry that records the imported names of
/// all domains.
private struct ImportedNames {
  private let domain: String
  private var all: [String: PropertyListValue] = [:]
  var names: Set<String> = []

  init(_ entry: PropertyListValue?, of domain: String) {
    self.domain = domain
    if case .dictionary(let all) = entry { self.all = all }
    guard case .array(let names) = all[domain] else { return }
    for case .string(let name) in names { self.names.insert(name) }
  }

  var entry: PropertyListValue {
    var all = all
    all[domain] = .array(names.inByteOrder.map(PropertyListValue.string))
    return .dictionary(all)
  }
}
