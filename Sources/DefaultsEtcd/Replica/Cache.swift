import Defaults
import Foundation

/// The last known entries of a cluster, and the queued sets, in a property list on this machine.
final class Cache: Sendable {
  /// The name of the entry that describes the cache.
  static let noteName = "Defaults.fleet"

  let suite: Defaults.PropertyListSuite
  private let prefix: String

  struct Content {
    var entries: [String: PropertyListValue]
    var note: Note?
  }

  /// The description of a cache.
  struct Note: Sendable {
    var cluster: String
    var revision: Int64
    /// When the entries were last current; nil in a cache of an earlier version.
    var date: Date?
    var intents: [String: Intent]
    /// The transactions with an unknown result, by writer.
    var sent: [String: SentTransaction] = [:]

    /// Notes that the entry of another process's intent, if any, is known up to a revision.
    mutating func renewIntent(of name: String, knownUpTo revision: Int64, wasThere: Bool) {
      guard let intent = intents[name], intent.knownUpTo < revision else { return }
      intents[name] = Intent(edit: intent.edit, knownUpTo: revision, wasThere: wasThere)
    }
  }

  /// Opens a cache. Throws the errors of the suite, and `unusableCache` for another prefix.
  init(
    _ url: URL, prefix: String, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) {
    suite = try Defaults.PropertyListSuite(url: url, onIssue: onIssue)
    self.prefix = prefix
    guard case .dictionary(let note) = suite.entry(named: Self.noteName) else {
      guard suite.entries.isEmpty else {
        throw SuiteError(
          .unusableCache,
          "The file contains settings and isn't a cache; use another file for the cache",
          path: url.path)
      }
      return
    }
    guard note["prefix"] == .string(prefix) else {
      throw SuiteError(
        .unusableCache,
        "The file isn't the cache of the prefix \"\(prefix)\"; use another file for "
          + "the cache", path: url.path)
    }
  }

  func load() -> Content {
    var entries = suite.entries
    let note = entries.removeValue(forKey: Self.noteName).flatMap(Note.init)
    return Content(entries: entries, note: note)
  }

  /// Stores the known entries, unless another process has stored newer ones.
  ///
  /// - Parameters:
  ///   - writer: The writer of this process.
  ///   - all: Returns all entries, for a cache with unknown gaps or another history.
  /// - Returns: The problems of entries that the cache can't store, and doesn't have afterwards.
  func save(
    _ known: Known, of cluster: String, writer: String,
    all: () -> [String: PropertyListValue]
  ) throws(SuiteError) -> [SuiteError] {
    try suite.exactly { draft throws(SuiteError) in
      var problems: [SuiteError] = []
      var note = draft.entry(named: Self.noteName).flatMap(Note.init)
      let isOther = known.isCacheOfOther || note?.cluster != cluster
      if let note, !isOther, note.revision >= known.revision { return problems }
      if known.isWholeUnsaved || isOther {
        let all = all()
        for name in draft.names where all[name] == nil && name != Self.noteName {
          draft.removeEntry(named: name)
        }
        for (name, value) in all where draft.entry(named: name) != value {
          if let problem = make(.set(value), of: name, in: &draft) { problems.append(problem) }
        }
      } else {
        for (name, edit) in known.unsaved {
          if let problem = make(edit, of: name, in: &draft) { problems.append(problem) }
        }
      }
      note = Note(
        cluster: cluster, revision: known.revision, date: Date(), intents: note?.intents ?? [:],
        sent: note?.sent ?? [:])
      note?.sent[writer] = known.sent[writer]
      if isOther {
        // The revisions of the cached ones belong to another history.
        for (name, intent) in known.intents where note?.intents[name]?.edit == intent.edit {
          note?.intents[name] = intent
        }
      }
      try write(note, to: &draft)
      return problems
    }
  }

  /// Stores that the entries are current now.
  func noteCurrent() throws(SuiteError) {
    try changeNote { $0.date = Date() }
  }

  /// Stores intents.
  ///
  /// - Parameters:
  ///   - intents: The intents by name.
  ///   - isOther: Whether the cache belongs to another history.
  func change(_ intents: [String: Intent], isOther: Bool = false) throws(SuiteError) {
    try changeNote { note in
      for (name, intent) in intents {
        let old = note.intents.updateValue(intent, forKey: name)
        // Another process may have renewed the intent, which this process doesn't know.
        guard let old, !isOther else { continue }
        note.renewIntent(of: name, knownUpTo: old.knownUpTo, wasThere: old.wasThere)
      }
    }
  }

  /// Returns the intent of a name.
  func intent(of name: String) throws(SuiteError) -> Intent? {
    try suite.exactly { draft throws(SuiteError) in
      draft.entry(named: Self.noteName).flatMap(Note.init)?.intents[name]
    }
  }

  /// Removes an intent that was given up. One with another edit, of another process, stays.
  func remove(_ intent: Intent, of name: String) throws(SuiteError) {
    try changeNote { note in
      if note.intents[name]?.edit == intent.edit { note.intents[name] = nil }
    }
  }

  /// Removes an intent that the cluster has made, and stores its entry. An intent with another
  /// edit, of another process, stays, and is newer than the entry.
  func end(_ intent: Intent, of name: String, madeAt revision: Int64) throws(SuiteError) {
    let problem = try suite.exactly { draft throws(SuiteError) -> SuiteError? in
      guard var note = draft.entry(named: Self.noteName).flatMap(Note.init) else { return nil }
      if note.intents[name]?.edit == intent.edit {
        note.intents[name] = nil
      } else {
        note.renewIntent(of: name, knownUpTo: revision, wasThere: intent.edit.entry != nil)
      }
      try write(note, to: &draft)
      // Another process may have stored a newer revision.
      return note.revision < revision ? make(intent.edit, of: name, in: &draft) : nil
    }
    if let problem { throw problem }
  }

  /// Stores a transaction before it is sent.
  func add(_ sent: SentTransaction) throws(SuiteError) {
    try changeNote { $0.sent[sent.mark.writer] = sent }
  }

  /// Removes a transaction with a known result, and stores the intents that change by it.
  func remove(_ sent: SentTransaction, updating intents: [String: Intent]) throws(SuiteError) {
    try changeNote { note in
      for (name, intent) in intents {
        if note.intents[name]?.edit == intent.edit {
          note.intents[name] = intent
        } else {
          note.renewIntent(of: name, knownUpTo: intent.knownUpTo, wasThere: intent.wasThere)
        }
      }
      // Another process may have stored a later transaction.
      if note.sent[sent.mark.writer] == sent { note.sent[sent.mark.writer] = nil }
    }
  }

  private func changeNote(_ body: (inout Note) -> Void) throws(SuiteError) {
    try suite.exactly { draft throws(SuiteError) in
      var note =
        draft.entry(named: Self.noteName).flatMap(Note.init)
        ?? Note(cluster: "", revision: 0, date: nil, intents: [:])
      body(&note)
      try write(note, to: &draft)
    }
  }

  private func write(_ note: Note?, to draft: inout Defaults.Draft) throws(SuiteError) {
    guard let note else { return }
    try draft.setEntry(note.entry(prefix: prefix), named: Self.noteName)
  }

  /// Makes an edit. Returns the error if the cache can't store the value, and removes the entry,
  /// whose earlier value is outdated.
  private func make(
    _ edit: Edit, of name: String, in draft: inout Defaults.Draft
  ) -> SuiteError? {
    var problem: SuiteError?
    if let value = edit.entry {
      do throws(SuiteError) {
        try draft.setEntry(value, named: name)
        return nil
      } catch {
        problem = error
      }
    }
    draft.removeEntry(named: name)
    return problem
  }
}
