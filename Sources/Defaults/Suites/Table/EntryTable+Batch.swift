import Synchronization

/// Making several commits at once, which takes the locks only once.
extension EntryTable {
  /// The number of commits that can be made at once: few, since readers wait meanwhile, and only
  /// one if followers derive other entries from those after each commit.
  var batchSize: Int { hasFollowers.load(ordering: .relaxed) ? 1 : 16 }

  /// The changes of commits that are made at once.
  struct Batch {
    private var changes: [Change] = []
    /// The index after the last change of each commit.
    private var ends: [Int] = []

    mutating func append(_ change: Change) { changes.append(change) }
    mutating func endCommit() { ends.append(changes.count) }

    fileprivate mutating func clear() {
      changes.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
    }

    fileprivate func forEach(_ body: (ArraySlice<Change>) -> Void) {
      var start = 0
      for end in ends {
        body(changes[start..<end])
        start = end
      }
    }
  }

  /// Makes several commits at once: the body changes the entries and fills the batch, which it gets
  /// empty. The caller holds the writer lock.
  func commit(
    _ batch: inout Batch, from source: Defaults.Change.Source,
    _ body: (inout Entries, inout Batch) -> Void
  ) {
    batch.clear()
    state.withLock { state in
      body(&state.entries, &batch)
      batch.forEach { announce($0, source, nil, &state) }
    }
    guard hasFollowers.load(ordering: .relaxed) else { return }
    batch.forEach { tellFollowers(Array($0), source) }
  }
}
