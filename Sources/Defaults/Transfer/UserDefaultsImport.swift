import Foundation

extension Defaults.Suite {
  /// Takes over what a program stored in Foundation's `UserDefaults`, once, in one transaction, and
  /// reports what was taken, what was skipped, and why.
  ///
  /// ```swift
  /// let report = try suite.importUserDefaults(.keys(.volume, .isUnicorn), from: .standard)
  /// ```
  ///
  /// With `.keys`, each entry is converted to the form of its key: the 1 that is stored for a bool
  /// becomes `true`, text is read as a number or bool where the key wants one, JSON text in all the
  /// places where the typed facades for `UserDefaults` put it, and what isn't a value of the type
  /// is skipped. What lies under a previous name of a key is taken, and reported,
  /// under the present one. Without keys entries are taken as they are. Nothing is removed from
  /// `UserDefaults`.
  ///
  /// Call it at every launch: a name that was taken, or left by the rule, is remembered in the
  /// entry ``Defaults/importedName`` and skipped from then on, whatever changes on either side.
  /// What was missing or unusable is looked at again.
  ///
  /// Values count as of the current version: no migration runs, since `UserDefaults` of a program
  /// that didn't use this library has no version. To import values of an older form, call this
  /// before ``migrate(to:steps:)``. To move a ``UserDefaultsSuite`` with its version, use
  /// ``importEntries(_:from:by:)`` with its entries.
  ///
  /// - Parameters:
  ///   - selection: The keys or names to look for; everything by default.
  ///   - userDefaults: Where the values are.
  ///   - domain: The name of the domain, as `UserDefaults(suiteName:)` takes it: what is stored in
  ///     it is looked at, and nothing else. Without it, that is whatever `object(forKey:)` finds,
  ///     but for what arguments, registered defaults, or the settings of all programs say, too (on
  ///     Linux, registered defaults can't be told apart); so name the domain where you can. Each
  ///     domain is remembered on its own.
  ///   - conflicts: What happens where the suite has another value.
  ///
  /// Throws, with nothing changed, why the transaction can't be made, and `unresolved` with the error
  /// of a conflict rule's closure.
  @discardableResult
  public func importUserDefaults(
    _ selection: Defaults.Selection = .all, from userDefaults: UserDefaults, domain: String? = nil,
    conflicts: Defaults.ConflictRule = .keepOurs
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    let source = Defaults.UserDefaultsSource(userDefaults: userDefaults, domain: domain)
    let found = source.found(selection.sought)
    let selected = selection.select(from: Set(found.keys))
    return try exactly { draft throws(Defaults.SuiteError) in
      var arriving = Defaults.ArrivingEntries(selection, conflicts)
      var known = ImportedNames(draft.entry(named: Defaults.importedName), of: domain ?? "")
      for name in selection.listed.union(selected.keys).inByteOrder {
        let names = selection.key(named: name)?.allNames ?? [name]
        let theirs = selected[name].flatMap { found[$0] }
        if names.contains(where: known.names.contains) {
          arriving.report.skipped[name] = .importedBefore
        } else if let reason = try take(theirs, named: name, selection, &arriving, &draft) {
          // A later import may find something else.
          arriving.report.skipped[name] = reason
        } else {
          known.names.insert(name)
        }
      }
      if !known.names.isEmpty { try draft.setEntry(known.entry, named: Defaults.importedName) }
      return arriving.report
    }
  }

  /// Lets what was found arrive in the draft, where it may be taken or left; or returns why it
  /// can't arrive. Throws what the conflict rule throws.
  private func take(
    _ found: Defaults.UserDefaultsSource.Found?, named name: String,
    _ selection: Defaults.Selection, _ arriving: inout Defaults.ArrivingEntries,
    _ draft: inout Defaults.Draft
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport.Reason? {
    guard let found else { return .missing }
    if Defaults.isReserved(name) { return .reserved }
    guard !name.isEmpty else {
      return .unusable(Defaults.SuiteError(.unrepresentable, "An entry must have a name"))
    }
    let theirs: Defaults.PropertyListValue
    switch found {
    case .foreign: return .notStoredThere
    case .unusable(let error): return .unusable(error)
    case .value(let value):
      do throws(Defaults.SuiteError) {
        theirs = try edit(forForeign: value, named: name, selection).entry ?? value
        try check(theirs, named: name)
      } catch {
        return .unusable(error)
      }
    }
    guard let chosen = try arriving.resolve(theirs, named: name, in: draft) else { return nil }
    do throws(Defaults.SuiteError) {
      try arriving.set(chosen, named: name, in: &draft)
    } catch {
      return .unusable(error)
    }
    return nil
  }
}

extension Defaults.Suite {
  private func edit(
    forForeign value: Defaults.PropertyListValue, named name: String,
    _ selection: Defaults.Selection
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    guard let key = selection.key(named: name) as? any KeyOfForeignEntries else {
      return .set(value)
    }
    return try key.edit(forForeign: value, in: self)
  }
}

/// The names that were imported from one domain, in the entry about all of them.
private struct ImportedNames {
  private let domain: String
  private var all: [String: Defaults.PropertyListValue] = [:]
  var names: Set<String> = []

  init(_ entry: Defaults.PropertyListValue?, of domain: String) {
    self.domain = domain
    if case .dictionary(let all) = entry { self.all = all }
    guard case .array(let names) = all[domain] else { return }
    for case .string(let name) in names { self.names.insert(name) }
  }

  var entry: Defaults.PropertyListValue {
    var all = all
    all[domain] = .array(names.inByteOrder.map(Defaults.PropertyListValue.string))
    return .dictionary(all)
  }
}
