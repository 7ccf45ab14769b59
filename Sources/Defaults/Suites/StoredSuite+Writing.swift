/// Committing what transactions and others changed.
extension Defaults.StoredSuite {
  /// Runs the body on a draft and commits it; see the protocol.
  @discardableResult
  public func transaction<Result, Failure: Error>(
    _ body: (inout Defaults.Draft) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scope = TransactionScope()
    defer { scope.end() }
    return try exclusively { () throws(Failure) in
      var draft = Defaults.Draft(of: self)
      let result = try scope.run { () throws(Failure) in try body(&draft) }
      return (result, commit(draft.edits))
    }
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    exclusively { ((), commit(CollectionOfOne((key: name, value: edit)))) }
  }

  /// Runs the body while nobody else commits, in any process, and with all that others have
  /// committed; the body also returns whether observers wait for what it did.
  func exclusively<Result, Failure: Error>(
    _ body: () throws(Failure) -> (Result, mustDeliver: Bool)
  ) throws(Failure) -> Result {
    var mustDeliver = false
    var problems: [Defaults.SuiteError] = []
    // Also if the body throws: others may have committed.
    defer {
      for problem in problems { support.report(problem) }
      if mustDeliver { support.deliver() }
      persistence?.settle(for: self)
    }
    return try writer.withLock { _ throws(Failure) in
      mustDeliver = persistence?.begin(for: self) ?? false
      defer { problems = persistence?.end(for: self) ?? [] }
      // In one place: with a second call, where there is no persistence, Swift 6.3.1 ends with
      // "swifterror value can only be loaded" when it optimizes the module with SwiftUI in it.
      let result = try body()
      mustDeliver = mustDeliver || result.mustDeliver
      return result.0
    }
  }

  /// Commits what changes something, with the writer lock held; returns whether observers wait.
  private func commit(_ edits: some Sequence<(key: String, value: Defaults.Edit)>) -> Bool {
    let changes = changes(edits)
    guard !changes.isEmpty else { return false }
    persistence?.record(changes, for: self)
    return apply(changes, source: .local)
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
        state.advanceCells(of: change.name)
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
