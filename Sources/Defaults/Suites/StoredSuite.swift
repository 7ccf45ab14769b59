import Dispatch
import Foundation

extension Defaults {
  /// A suite that keeps its entries in memory and lets a ``Store`` load and save them.
  ///
  /// Reads, transactions, observation and the saving policy are here, once for all stores. A change
  /// is saved in the background as soon as no other save is running; what changes meanwhile goes
  /// into the next one. A save that fails leaves memory as it is, raises an issue, and is tried
  /// again with the next change, with ``flush()``, and at normal exit.
  public final class StoredSuite: Suite {
    /// Observers, registered defaults and issues.
    public let support: SuiteSupport

    struct State {
      var entries: [String: PropertyListValue]
      /// The names that keys have asked for.
      var cells: [String: Cell] = [:]
      /// The names whose entries differ from what the store holds.
      var unsaved: Set<String> = []
      var isSaveScheduled = false
    }

    /// nil for a suite in memory.
    let store: (any Store)?
    let state: Lock<State>
    /// Held while a transaction's body runs; taken before `state`.
    let writer = Lock((), misuse: misuse)
    /// Held while the store loads or saves; taken before `writer`.
    let storeAccess = Lock(())
    let savingQueue = DispatchQueue(label: "Defaults.StoredSuite", qos: .utility)

    static let misuse: StaticString = """
      a suite was written, observed or flushed inside of its own transaction; \
      use the draft there, and the suite afterwards
      """

    /// A suite on a store, with what it loads now. Throws what the store throws: unreadable is not
    /// empty. `onIssue` takes the suite's issues in place of ``Defaults/issueHandler``.
    public convenience init(
      _ store: some Store, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let entries: [String: PropertyListValue]
      do {
        entries = try store.withExclusiveAccess { try store.load() }
      } catch {
        throw SuiteError(wrapping: error, .unreadable, suite: store.label)
      }
      self.init(
        entries: entries, store: store, support: SuiteSupport(label: store.label, onIssue: onIssue))
      store.watch { [weak self] in self?.reloadSoon() }
    }

    init(
      entries: [String: PropertyListValue], store: (any Store)?, support: SuiteSupport
    ) {
      state = Lock(State(entries: entries))
      self.store = store
      self.support = support
    }
  }
}

// MARK: - Reading

extension Defaults.StoredSuite {
  /// Itself.
  public var stored: Defaults.StoredSuite? { self }

  /// The committed entry of a name.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    state.withLock { $0.entries[name] }
  }

  /// All entries at one instant; costs nothing until the suite is written while they are held.
  public var entries: [String: Defaults.PropertyListValue] { state.withLock { $0.entries } }

  /// An entry, and the generation of its cell that it belongs to.
  func entry(
    named name: String, of cell: Cell
  ) -> (entry: Defaults.PropertyListValue?, generation: UInt64) {
    state.withLock { ($0.entries[name], cell.generation.load(ordering: .relaxed)) }
  }

  func cell(named name: String) -> Cell {
    state.withLock { state in
      if let cell = state.cells[name] { return cell }
      let cell = Cell()
      state.cells[name] = cell
      return cell
    }
  }

  /// Adds defaults, and makes what keys decoded before stale.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    support.register(defaults: defaults)
    state.withLock { state in
      for name in defaults.keys { state.cells[name]?.advance() }
    }
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    // Not inside of a transaction, where the first event's handler would run under its lock.
    writer.withLock { _ in }
    let observation = state.withLock { state in
      var initial: [String: Defaults.PropertyListValue?] = [:]
      if options.contains(.initial) {
        for name in names ?? Set(state.entries.keys) {
          initial.updateValue(state.entries[name], forKey: name)
        }
      }
      return support.observe(names, options: options, initial: initial, handler)
    }
    support.deliver()
    return observation
  }

  /// Throws if the store can't keep the entry.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try store?.validate(value, named: name)
  }
}

// MARK: - Writing

extension Defaults.StoredSuite {
  /// Runs the body on a draft and commits it; see the protocol.
  @discardableResult
  public func transaction<Result, Failure: Error>(
    _ body: (inout Defaults.Draft) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome = Outcome()
    let result = try writer.withLock { _ throws(Failure) in
      var draft = Defaults.Draft(of: self)
      let result = try body(&draft)
      outcome = commit(draft.edits)
      return result
    }
    finish(outcome)
    return result
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    finish(writer.withLock { _ in commit(CollectionOfOne((key: name, value: edit))) })
  }

  /// What there is to do after a commit, outside the locks.
  struct Outcome {
    var mustSave = false
    var mustDeliver = false
  }

  func commit(
    _ edits: some Sequence<(key: String, value: Defaults.Edit)>,
    source: Defaults.Change.Source = .local
  ) -> Outcome {
    state.withLock { state in
      var outcome = Outcome()
      var observed: [String: Defaults.Change.Entry] = [:]
      for (name, edit) in edits {
        let old = state.entries[name]
        guard old != edit.entry else { continue }
        state.entries[name] = edit.entry
        state.cells[name]?.advance()
        support.forgetIssues(about: name)
        if support.isAwaited(name) {
          observed[name] = Defaults.Change.Entry(old: old, new: edit.entry)
        }
        if source == .local, store != nil {
          outcome.mustSave = noteUnsaved(name, &state) || outcome.mustSave
        }
      }
      if !observed.isEmpty {
        outcome.mustDeliver = support.enqueue(Defaults.Change(observed, source: source))
      }
      return outcome
    }
  }

  func finish(_ outcome: Outcome) {
    if outcome.mustSave { saveSoon() }
    if outcome.mustDeliver { support.deliver() }
  }
}
