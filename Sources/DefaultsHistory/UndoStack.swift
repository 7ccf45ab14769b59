import Defaults

extension Defaults {
  /// The latest changes of a suite by this process, to undo and redo them.
  ///
  /// ```swift
  /// let stack = Defaults.UndoStack(suite) { $0.origin != "server" }
  /// suite[.volume] = 7
  /// try stack.undo()
  /// ```
  ///
  /// The stack records each transaction that is made after its creation. A single call of a setter
  /// is also a transaction. A value that the first read of a `.generatedOnce` key stores isn't
  /// recorded.
  ///
  /// An undo or redo is an ordinary change with the origin `undo` or `redo`. It is made only if
  /// each entry of the transaction still has, or has again, the value that the transaction gave it.
  /// So it never reverts a later change by another process that is in effect. Recording a new
  /// change removes all transactions that could be redone.
  ///
  /// In a suite of layers, the stack undoes changes of the writable layer.
  public final class UndoStack: Sendable {
    private let suite: any Suite
    private let steps = Lock(UndoSteps())
    /// Set once, by `init`.
    private let observation = Lock((any Observation)?.none)

    /// Creates a stack that records the changes by this process from now on. Traps inside of a
    /// transaction of the suite.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - limit: The maximum number of transactions. The oldest ones are dropped. Zero or
    ///     less records none.
    ///   - isRecorded: Returns whether to record a change, by its origin or its names. By default,
    ///     all changes are recorded.
    public init(
      _ suite: some Suite, limit: Int = 100,
      where isRecorded: @escaping @Sendable (Change) -> Bool = { _ in true }
    ) {
      self.suite = suite
      let token = suite.writable.observe(nil, options: .silent) { [weak self] change in
        guard let self, change.source == .local, !change.isInitialValue else { return }
        let isRecorded = isRecorded(change)
        // Released without the lock, since values may be large.
        let old = steps.withLock { steps in
          let old = steps
          steps.record(change, isRecorded ? limit : nil)
          return old
        }
        withExtendedLifetime(old) {}
      }
      observation.withLock { $0 = token }
    }

    /// Whether there is a transaction to undo.
    public var canUndo: Bool { steps.withLock { !$0.undo.isEmpty } }

    /// Whether there is a transaction to redo.
    public var canRedo: Bool { steps.withLock { !$0.redo.isEmpty } }

    /// Undoes the latest recorded transaction. Has no effect if there is none.
    ///
    /// A transaction is recorded when the suite's observers are notified of it. Until then, which
    /// may be later if another thread is notifying them, this undoes the one before it.
    ///
    /// It can be redone when the suite's observers have been notified. If the call is made in a
    /// handler or in a transaction of another suite, they are notified only after the call.
    ///
    /// - Throws: `changedSince` if an entry was changed after the transaction. No entry is changed,
    ///   and the stack drops the transaction, so that the next call undoes the one before it. If
    ///   the call throws another error, the stack still has the transaction.
    public func undo() throws(SuiteError) { try reverse(.undo) }

    /// Redoes the transaction that was undone last. Has no effect if there is none.
    ///
    /// - Throws: `changedSince` if an entry was changed after the undo; see ``undo()``.
    public func redo() throws(SuiteError) { try reverse(.redo) }

    /// Discards all transactions.
    public func removeAll() {
      // Released without the lock.
      _ = steps.withLock { $0.removeAll() }
    }

    private func reverse(_ direction: UndoSteps.Direction) throws(SuiteError) {
      guard let step = steps.withLock({ $0.begin(direction) }) else { return }
      do throws(SuiteError) {
        try withOrigin(direction.rawValue) { () throws(SuiteError) in
          try suite.reverse(step.entries)
        }
      } catch {
        steps.withLock { $0.fail(direction, step, keepsStep: error.code != .changedSince) }
        throw error
      }
    }
  }
}

extension Defaults.Suite {
  /// Restores the entries from before a change, in one transaction.
  ///
  /// Unless `isForced`, throws `changedSince` if an entry differs from the entry after the change.
  package func reverse(
    _ change: [String: Defaults.Change.Entry], isForced: Bool = false
  ) throws(Defaults.SuiteError) {
    do {
      try transaction { draft in
        for (name, entry) in change {
          guard let old = entry.old else { continue }
          try check(old, named: Defaults.settingName(of: name))
        }
        // The names are those of the writable layer, where another profile may be chosen now.
        try draft.withWritableLayer { draft throws(Defaults.SuiteError) in
          let later = change.filter { draft.entry(named: $0.key) != $0.value.new }
          guard later.isEmpty || isForced else {
            throw SuiteError.changedSince(
              later.keys.map(Defaults.settingName).sorted(), suite: label)
          }
          for (name, entry) in change {
            if let old = entry.old {
              try draft.setEntry(old, named: name)
            } else {
              draft.removeEntry(named: name)
            }
          }
        }
      }
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }
}

extension Defaults.SuiteError.Code {
  /// A later change of a setting exists, so nothing was undone.
  public static let changedSince = Self(rawValue: "changedSince")
}

extension Defaults.SuiteError {
  fileprivate static func changedSince(_ names: [String], suite: String) -> Self {
    let list = names.prefix(10).map { "\"\(escaped($0))\"" }.joined(separator: ", ")
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    return Self(
      .changedSince, "Nothing was undone, because of a later change of \(list)\(more)",
      suite: suite, key: names.count == 1 ? names.first : nil)
  }
}
