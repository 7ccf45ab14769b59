extension MigrationPlan {
  /// Migrates the settings in all profiles of a draft from a version, as if each profile were a
  /// suite.
  func migrateProfiles(
    in draft: inout Defaults.Draft, from old: Int, of suite: String
  ) throws(SuiteError) {
    var profiles: [String: [String: PropertyListValue]] = [:]
    for name in draft.names {
      let setting = Defaults.settingName(of: name)
      guard setting.utf8.count < name.utf8.count else { continue }
      profiles[String(name.dropLast(setting.count)), default: [:]][setting] = draft.entry(
        named: name)
    }
    for (prefix, entries) in profiles {
      let copy = Defaults.MemorySuite(entries, label: suite)
      try copy.exactly { draft throws(SuiteError) in try run(after: old, on: &draft, of: suite) }
      for name in entries.keys where copy.entry(named: name) == nil {
        draft.removeEntry(named: prefix + name)
      }
      for (name, value) in copy.entries where entries[name] != value {
        try draft.setEntry(value, named: prefix + name)
      }
    }
  }
}
