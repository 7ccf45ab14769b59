extension Defaults.StoredSuite {
  /// Returns the times of the latest changes of entries, in microseconds since 1970, including
  /// removals of the last day. Names without a known change are missing. Nil without a journal.
  package func versions(of names: some Collection<String>) -> [String: UInt64]? {
    guard let store = persistence as? FileStore else { return nil }
    return store.state.withLock { state in
      var versions: [String: UInt64] = [:]
      for name in names {
        let version = state.waiting[name]?.version ?? state.fold.entries[name]?.version
        versions[name] = version?.microseconds
      }
      return versions
    }
  }
}
