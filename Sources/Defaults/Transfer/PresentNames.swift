extension Defaults {
  /// The present names of settings that were renamed, for entries that come from elsewhere or go
  /// there: an entry under a name that its setting had before is one of the setting.
  struct PresentNames {
    /// The names that a setting had, the latest first, by its present one.
    private let previous: [String: [String]]
    private let presentByPrevious: [String: String]

    /// Those that keys of the suite declared, and the keys that are selected. A name that another
    /// key has now is that key's alone, as it is where a setting is written.
    init(in suite: any Suite, _ selection: Selection) {
      let declared = suite.support.previousNames.merging(selection.previousNames) { known, more in
        known + more.filter { !known.contains($0) }
      }
      previous = declared.mapValues { names in
        names.filter { declared[$0] == nil && !suite.support.isDeclared($0) }
      }
      presentByPrevious = previous.reduce(into: [:]) { present, setting in
        for name in setting.value { present[name] = setting.key }
      }
    }

    /// The name that the setting of a name has now.
    func present(_ name: String) -> String { presentByPrevious[name] ?? name }

    /// The name of a setting, and those that it had.
    func all(_ name: String) -> [String] {
      [name] + (previous[name] ?? [])
    }

    /// What is there by name, under the present names; of a setting that stands under several, the
    /// latest counts, as it does in a suite.
    func apply<Value>(to found: [String: Value]) -> [String: Value] {
      var present = found
      for name in previous.keys {
        let names = all(name)
        guard let value = names.lazy.compactMap({ found[$0] }).first else { continue }
        for name in names { present[name] = nil }
        present[name] = value
      }
      return present
    }

    /// Whether a setting is selected, by whichever of its names.
    func isSetting(_ name: String, in selection: Selection) -> Bool {
      !isReserved(name) && all(name).contains(where: selection.contains)
    }

    /// A selection, and all names of the settings in it.
    func widened(_ selection: Selection) -> Selection {
      let more = previous.keys.filter { isSetting($0, in: selection) }.flatMap(all)
      return more.isEmpty ? selection : selection.adding(more)
    }

    /// The entry of a setting.
    func entry(of name: String, in draft: Draft) -> PropertyListValue? {
      all(name).lazy.compactMap { draft.entry(named: $0) }.first
    }

    /// Sets the entry of a setting, and takes away those of its previous names.
    func set(
      _ value: PropertyListValue, named name: String, in draft: inout Draft
    ) throws(SuiteError) {
      try draft.setEntry(value, named: name)
      draft.removePreviousEntries(of: name, names: Array(all(name).dropFirst()))
    }
  }
}
