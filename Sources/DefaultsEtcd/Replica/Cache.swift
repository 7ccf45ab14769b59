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
    var intents: [String: Intent]
  }

  /// Opens a cache. Throws what the suite throws, and `conflicting` for that of another prefix.
  init(
    _ url: URL, prefix: String, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) {
    suite = try Defaults.PropertyListSuite(url: url, onIssue: onIssue)
    self.prefix = prefix
    guard case .dictionary(let note) = suite.entry(named: Self.noteName) else {
      guard suite.entries.isEmpty else {
        throw SuiteError(
          .conflicting, "The file has settings, and isn't a cache; name another file for the cache",
          path: url.path)
      }
      return
    }
    guard note["prefix"] == .string(prefix) else {
      throw SuiteError(
        .conflicting,
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

  /// Puts changes in, unless another process has put in what is newer; `all` are all entries, for
  /// the cache of nobody knows when, or with `isOther`, of another history.
  func save(
    _ edits: [String: Edit], revision: Int64, cluster: String, isWhole: Bool,
    isOther: Bool,
    all: () -> [String: PropertyListValue]
  ) throws(SuiteError) {
    try change { draft throws(SuiteError) in
      var note = draft.entry(named: Self.noteName).flatMap(Note.init)
      if let note, !isOther, note.cluster == cluster, note.revision >= revision { return }
      if isWhole || isOther || note?.cluster != cluster {
        let all = all()
        for name in draft.names where all[name] == nil && name != Self.noteName {
          draft.removeEntry(named: name)
        }
        for (name, value) in all where draft.entry(named: name) != value {
          try draft.setEntry(value, named: name)
        }
      } else {
        for (name, edit) in edits {
          if let value = edit.entry {
            try draft.setEntry(value, named: name)
          } else {
            draft.removeEntry(named: name)
          }
        }
      }
      note = Note(cluster: cluster, revision: revision, intents: note?.intents ?? [:])
      try write(note, to: &draft)
    }
  }

  /// Puts intents in, or takes them out where there is none.
  func change(_ intents: [String: Intent?]) throws(SuiteError) {
    try change { draft throws(SuiteError) in
      var note =
        draft.entry(named: Self.noteName).flatMap(Note.init)
        ?? Note(cluster: "", revision: 0, intents: [:])
      for (name, intent) in intents { note.intents[name] = intent }
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

extension Cache.Note {
  /// What an entry says; nil if it isn't one of this kind.
  init?(_ entry: PropertyListValue) {
    guard case .dictionary(let parts) = entry, case .string(let cluster) = parts["cluster"],
      case .integer(let revision) = parts["revision"]
    else { return nil }
    self.cluster = cluster
    self.revision = revision
    intents = [:]
    guard case .dictionary(let all) = parts["intents"] else { return }
    for (name, value) in all {
      guard case .dictionary(let parts) = value, case .integer(let limit) = parts["knownUpTo"],
        case .bool(let wasThere) = parts["wasThere"]
      else { continue }
      intents[name] = Intent(
        edit: Edit(entry: parts["value"]), knownUpTo: limit, wasThere: wasThere)
    }
  }

  func entry(prefix: String) -> PropertyListValue {
    var parts: [String: PropertyListValue] = [
      "prefix": .string(prefix), "cluster": .string(cluster), "revision": .integer(revision),
    ]
    if !intents.isEmpty {
      parts["intents"] = .dictionary(
        intents.mapValues { intent in
          var parts: [String: PropertyListValue] = [
            "knownUpTo": .integer(intent.knownUpTo), "wasThere": .bool(intent.wasThere),
          ]
          parts["value"] = intent.edit.entry
          return .dictionary(parts)
        })
    }
    return .dictionary(parts)
  }
}
