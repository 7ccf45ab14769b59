import Defaults
import Foundation

/// The state of the cluster as far as it is known, except the values in the table. Changed with the
/// table's writer lock.
struct Known: Sendable {
  /// The revision of the table.
  var revision: Int64 = 0
  /// The cluster that the revisions belong to.
  var cluster: String?
  /// The revisions of all entries.
  var revisions: [String: Int64] = [:]
  /// The keys of names that have keys in other than composed form.
  var spellings: [String: Spellings] = [:]
  /// The problems of invalid entries, for which the table has an earlier value.
  var unbelieved: [String: SuiteError] = [:]
  var intents: [String: Intent] = [:]
  /// The transactions with an unknown result, by writer: of this process, and of earlier starts of
  /// the program.
  var sent: [String: SentTransaction] = [:]
  /// The cluster's entries under names with an intent.
  var shadows: [String: Edit] = [:]
  /// Whether there is a cache.
  var hasCache = false
  /// The changes that are missing from the cache.
  var unsaved: [String: Edit] = [:]
  /// Whether more may be missing from the cache.
  var isWholeUnsaved = false
  /// Whether the cache belongs to another history, so that its revisions are invalid.
  var isCacheOfOther = false
  /// When the cache's entries were last current, if that is known.
  var dateOfCache: Date?
  /// Whether this process has listed the cluster.
  var wasListed = false

  var hasUnsaved: Bool { !unsaved.isEmpty || isWholeUnsaved || isCacheOfOther }

  /// Notes a change that is missing from the cache. Without a cache, the changes would stay for as
  /// long as the program runs.
  mutating func noteUnsaved(_ edit: Edit, of name: String) {
    if hasCache { unsaved[name] = edit }
  }

  mutating func noteSaved() {
    (unsaved, isWholeUnsaved, isCacheOfOther) = ([:], false, false)
  }

  /// The effects of entries of the cluster.
  struct News {
    /// The edits of the table.
    var edits: [String: Edit] = [:]
    var problems: [SuiteError] = []
    /// Problems that no longer exist.
    var over: [SuiteError] = []
    /// Whether all entries must be listed, since the content of one is unknown.
    var mustList = false
  }

  /// Compares intents by value if their revisions belong to another history. An entry with an
  /// unchanged value counts as untouched.
  mutating func renewIntents(_ entries: [RemoteEntry], revision: Int64) {
    let present = Dictionary(entries.map { ($0.name, $0.content) }) { first, _ in first }
    for (name, intent) in intents {
      var isSame = false
      if case .edit(let edit) = present[name] { isSame = edit == shadows[name] }
      intents[name] = Intent(
        edit: intent.edit, knownUpTo: isSame ? revision : 0, wasThere: intent.wasThere)
    }
  }

  mutating func endIntent(of name: String) {
    intents[name] = nil
    shadows[name] = nil
  }

  /// Updates the intents for entries that a transaction of this program has changed, since those
  /// aren't changes of another program. Returns the updated intents.
  mutating func updateIntents(after sent: SentTransaction, _ fate: Mark.Fate) -> [String: Intent] {
    var updated: [String: Intent] = [:]
    for (name, edit) in sent.edits {
      guard let intent = intents[name] else { continue }
      let revision: Int64
      switch fate {
      case .notMade: continue
      case .made(let made): revision = made
      case .unknown:
        // If the entry has the value of the transaction, the transaction most likely set it.
        guard unbelieved[name] == nil, shadows[name] == edit else { continue }
        revision = revisions[name] ?? self.revision
      }
      // Otherwise the intent is newer than the known entry.
      guard revision > intent.knownUpTo else { continue }
      updated[name] = Intent(edit: intent.edit, knownUpTo: revision, wasThere: edit.entry != nil)
    }
    intents.merge(updated) { _, new in new }
    return updated
  }

  /// Stores entries of the cluster. The table's entry under a name with an intent is unchanged.
  mutating func take(_ entries: [RemoteEntry]) -> News {
    var news = News()
    for entry in entries {
      guard noteKey(of: entry, &news) else { continue }
      revisions[entry.name] = entry.revision == 0 ? nil : entry.revision
      if let problem = unbelieved.removeValue(forKey: entry.name) { news.over.append(problem) }
      switch entry.content {
      case .edit(let edit):
        noteUnsaved(edit, of: entry.name)
        if intents[entry.name] == nil {
          news.edits[entry.name] = edit
        } else {
          shadows[entry.name] = edit
        }
      case .unbelieved(let problem):
        unbelieved[entry.name] = problem
        news.problems.append(problem)
      }
    }
    return news
  }
}

/// A set made while the cluster was unreachable.
struct Intent: Sendable, Equatable {
  var edit: Edit
  /// The revision up to which the entry was known at that time.
  let knownUpTo: Int64
  /// Whether there was an entry.
  let wasThere: Bool

  /// Whether the entry is unchanged since then, given its current revision; 0 for none.
  func isUntouched(at revision: Int64) -> Bool {
    wasThere ? revision != 0 && revision <= knownUpTo : revision == 0
  }
}
