// What a suite knows of earlier changes, from its journal.

extension Defaults.StoredSuite {
  /// Returns the changes in the journal, with the secret names that this process knows; nil without
  /// a journal.
  package func pastChanges() throws(SuiteError) -> PastChanges? {
    guard let store = persistence as? FileStore,
      let file = try LogFile.open(store.places.journal, failingAs: .unreadable)
    else { return nil }
    var past = PastChanges()
    let log = LoadedLog(try file.content(), path: file.place.path) { past.add($0, $1) }
    try log.checkVersion(at: file.place.path)
    past.secrets.formUnion(table.support.secretNames)
    return past
  }

  /// Returns the times of the latest changes of entries, in microseconds since 1970, including
  /// removals of the last day. Nil without a journal.
  ///
  /// Names without a known change are missing, such as those of a property list that was copied
  /// without its journal: the time of the file says nothing about its entries.
  package func versions(of names: some Collection<String>) -> [String: UInt64]? {
    guard let store = persistence as? FileStore else { return nil }
    return store.state.withLock { state in
      var versions: [String: UInt64] = [:]
      for name in names {
        let change = state.waiting.byName[name] ?? state.fold.lastChange(of: name)
        // Entries that were read from a property list have no writer.
        if let change, change.writer != 0 { versions[name] = change.version.microseconds }
      }
      return versions
    }
  }
}
