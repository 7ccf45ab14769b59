import Defaults
import Foundation

/// The last known entries of a cluster, in a property list of this machine, and what was set without
/// the cluster.
final class Cache: Sendable {
  /// The entry in which the cache says what it is of.
  static let noteName = "Defaults.fleet"

  let suite: Defaults.PropertyListSuite
  private let prefix: String

  /// What a cache has.
  struct Content {
    var entries: [String: PropertyListValue]
    var note: Note?
  }

  /// What the entries are of.
  struct Note: Sendable {
    var cluster: String
    var revision: Int64
    /// When the entries were current last; nil in a cache of an earlier version.
    var date: Date?
    var intents: [String: Intent]
    /// The transactions whose outcome wasn't known, by their writers.
    var sent: [String: SentTransaction] = [:]
  }

  /// Opens a cache. Throws what the suite throws, and `unusableCache` for that of another prefix.
  init(
    _ url: URL, prefix: String, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) {
    suite = try Defaults.PropertyListSuite(url: url, onIssue: onIssue)
    self.prefix = prefix
    guard case .dictionary(let note) = suite.entry(named: Self.noteName) else {
      guard suite.entries.isEmpty else {
        throw SuiteError(
          .unusableCache,
          "The file has settings, and isn't a cache; name another file for the cache",
          path: url.path)
      }
      return
    }
    guard note["prefix"] == .string(prefix) else {
      throw SuiteError(
        .unusableCache,
        "The file is the cache of another prefix than \"\(prefix)\"; name another "
          + "file for the cache", path: url.path)
    }
  }

  /// What it has now.
  func load() -> Content {
    var entries = suite.entries
    let note = entries.removeValue(forKey: Self.noteName).flatMap(Note.init)
    return Content(entries: entries, note: note)
  }

  /// Stores what a replica knows, unless another process has stored what is newer. `all` returns all
  /// entries, for a cache of which it isn't known what it lacks, or that is of another history.
  /// `writer` is the one of this process.
  func save(
    _ known: Known, of cluster: String, writer: String,
    all: () -> [String: PropertyListValue]
  ) throws(SuiteError) {
    try change { draft throws(SuiteError) in
      var note = draft.entry(named: Self.noteName).flatMap(Note.init)
      let isOther = known.isCacheOfOther || note?.cluster != cluster
      if let note, !isOther, note.revision >= known.revision { return }
      if known.isWholeUnsaved || isOther {
        let all = all()
        for name in draft.names where all[name] == nil && name != Self.noteName {
          draft.removeEntry(named: name)
        }
        for (name, value) in all where draft.entry(named: name) != value {
          try draft.setEntry(value, named: name)
        }
      } else {
        for (name, edit) in known.unsaved {
          if let value = edit.entry {
            try draft.setEntry(value, named: name)
          } else {
            draft.removeEntry(named: name)
          }
        }
      }
      note = Note(
        cluster: cluster, revision: known.revision, date: Date(), intents: note?.intents ?? [:],
        sent: note?.sent ?? [:])
      note?.sent[writer] = known.sent[writer]
      try write(note, to: &draft)
    }
  }

  /// Stores that the entries are current now.
  func noteCurrent() throws(SuiteError) {
    try changeNote { $0.date = Date() }
  }

  /// Stores intents, or removes them where there is none.
  func change(_ intents: [String: Intent?]) throws(SuiteError) {
    try changeNote { note in
      for (name, intent) in intents { note.intents[name] = intent }
    }
  }

  /// Removes an intent that was made in the cluster, and stores its entry.
  func end(_ intent: Intent, of name: String, madeAt revision: Int64) throws(SuiteError) {
    try change { draft throws(SuiteError) in
      guard var note = draft.entry(named: Self.noteName).flatMap(Note.init) else { return }
      note.intents[name] = nil
      // Another process may have stored what is newer.
      if note.revision < revision {
        if let value = intent.edit.entry {
          try draft.setEntry(value, named: name)
        } else {
          draft.removeEntry(named: name)
        }
      }
      try write(note, to: &draft)
    }
  }

  /// Stores a transaction before it is sent.
  func add(_ sent: SentTransaction) throws(SuiteError) {
    try changeNote { $0.sent[sent.mark.writer] = sent }
  }

  /// Removes a transaction whose outcome is known, and stores the intents that change by it.
  func remove(
    _ sent: SentTransaction, updating intents: [String: Intent]
  ) throws(SuiteError) {
    try changeNote { note in
      for (name, intent) in intents where note.intents[name] != nil {
        note.intents[name] = intent
      }
      // Another process may have sent a later one.
      if note.sent[sent.mark.writer] == sent { note.sent[sent.mark.writer] = nil }
    }
  }

  private func changeNote(_ body: (inout Note) -> Void) throws(SuiteError) {
    try change { draft throws(SuiteError) in
      var note =
        draft.entry(named: Self.noteName).flatMap(Note.init)
        ?? Note(cluster: "", revision: 0, date: nil, intents: [:])
      body(&note)
      try write(note, to: &draft)
    }
  }

  private func write(
    _ note: Note?, to draft: inout Defaults.Draft
  ) throws(SuiteError) {
    guard let note else { return }
    try draft.setEntry(note.entry(prefix: prefix), named: Self.noteName)
  }

  private func change(
    _ body: (inout Defaults.Draft) throws(SuiteError) -> Void
  ) throws(SuiteError) {
    do {
      try suite.transaction(body)
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: suite.label)
    }
  }
}
