/// Committing what transactions and others changed.
extension Defaults.StoredSuite {
  /// Runs the body on a draft and commits it; see the protocol.
  @discardableResult
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try edit(.exact, within: nil, body)
  }

  /// Makes edits that stand on nothing; see the protocol.
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    do {
      try edit(.blind, within: nil, body)
    } catch {
      support.report(Defaults.SuiteError(wrapping: error, .unwritable, suite: label))
    }
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    do throws(Defaults.SuiteError) {
      var outcome = Result<Void, Defaults.SuiteError>.success(())
      try exclusively(.blind) { mustDeliver in
        outcome = Result { () throws(Defaults.SuiteError) in
          try commit(CollectionOfOne((key: name, value: edit)), &mustDeliver)
        }
      }
      try outcome.get()
    } catch {
      support.report(error.about(key: name, suite: label))
    }
  }

  /// A transaction that waits for another process for so long.
  func edit<Result>(
    _ commitment: Commitment, within patience: Duration?,
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    let scope = TransactionScope(of: self)
    defer { scope.end() }
    var outcome: Swift.Result<Result, any Error>?
    try exclusively(commitment, within: patience) { mustDeliver in
      outcome = Swift.Result {
        var draft = Defaults.Draft(of: self)
        let result = try scope.run { try body(&draft) }
        try commit(draft.edits, &mustDeliver)
        return result
      }
    }
    // It always runs where nothing is thrown.
    guard let outcome else { fatalError("a transaction of \(label) didn't run") }
    return try outcome.get()
  }

  /// Runs the body while nobody else commits, in any process if that is to be had or needed, and
  /// with all that others have committed; the body says whether observers wait for what it did.
  func exclusively(
    _ commitment: Commitment, within patience: Duration? = nil,
    _ body: (_ mustDeliver: inout Bool) -> Void
  ) throws(Defaults.SuiteError) {
    var aftermath = Aftermath()
    // Also if it throws: others may have committed.
    defer { conclude(aftermath) }
    // A thread that is in a transaction of another suite may be what its holder waits for.
    let wait = try NestedWaits.begin(waitingFor: ObjectIdentifier(self), label)
    defer { wait.end() }
    var mustDeliver = false
    defer { if mustDeliver { aftermath.mustDeliver = true } }
    func run() {
      wait.end()
      body(&mustDeliver)
    }
    if let persistence {
      try persistence.exclusively(
        commitment, for: self, within: patience, leaving: &aftermath, run)
    } else {
      writer.withLock { _ in run() }
    }
  }

  /// What is to be told to handlers, who run outside of every lock.
  struct Aftermath {
    var mustDeliver = false
    var problems: [Defaults.SuiteError] = []
  }

  /// Calls the handlers; no lock is held.
  func conclude(_ aftermath: Aftermath) {
    for problem in aftermath.problems { support.report(problem) }
    if aftermath.mustDeliver { support.deliver() }
    persistence?.settle(for: self)
  }

  /// Commits what changes something, with the writer lock held, and says whether observers wait.
  /// Throws, with nothing committed, what the persistence can't do.
  private func commit(
    _ edits: some Sequence<(key: String, value: Defaults.Edit)>, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let changes = changes(edits)
    guard !changes.isEmpty else { return }
    try persistence?.record(changes, for: self)
    if apply(changes, source: .local) { mustDeliver = true }
  }

  /// Commits what others have committed, with the writer lock held; returns whether observers wait.
  func commitExternal(_ edits: [String: Defaults.Edit]) -> Bool {
    apply(changes(edits), source: .external)
  }

  /// The edits that would make these entries of the present ones.
  func differences(
    from entries: [String: Defaults.PropertyListValue]
  ) -> [String: Defaults.Edit] {
    let present = self.entries
    var edits = entries.filter { present[$0.key] != $0.value }.mapValues(Defaults.Edit.set)
    for name in present.keys where entries[name] == nil { edits[name] = .remove }
    return edits
  }

  private func changes(
    _ edits: some Sequence<(key: String, value: Defaults.Edit)>
  ) -> [EntryEdit] {
    state.withLock { state in
      edits.compactMap { name, edit in
        let old = state.entries[name]
        return old == edit.entry ? nil : EntryEdit(name: name, old: old, edit: edit)
      }
    }
  }

  private func apply(_ changes: [EntryEdit], source: Defaults.Change.Source) -> Bool {
    guard !changes.isEmpty else { return false }
    return state.withLock { state in
      var observed: [String: Defaults.Change.Entry] = [:]
      for change in changes {
        state.entries[change.name] = change.edit.entry
        state.cells[change.name]?.advance()
        support.forgetIssues(about: change.name)
        if support.isAwaited(change.name) {
          observed[change.name] = Defaults.Change.Entry(old: change.old, new: change.edit.entry)
        }
      }
      guard !observed.isEmpty else { return false }
      return support.enqueue(Defaults.Change(observed, source: source))
    }
  }
}
