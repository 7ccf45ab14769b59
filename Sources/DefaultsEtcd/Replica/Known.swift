import Defaults
import Foundation

/// What a replica knows of the cluster besides the values in its table; changed with the writer lock
/// of the table.
struct Known: Sendable {
  /// The revision that the table shows.
  var revision: Int64 = 0
  /// The cluster that the revisions are of.
  var cluster: String?
  /// The revisions of all entries.
  var revisions: [String: Int64] = [:]
  /// The keys of the names that have others than the composed one.
  var spellings: [String: Spellings] = [:]
  /// What is wrong with the entries that the table shows an earlier value of.
  var unbelieved: [String: SuiteError] = [:]
  /// What was set without the cluster, and isn't there so far.
  var intents: [String: Intent] = [:]
  /// The transactions whose outcome isn't known so far, by their writers: of this process, and of
  /// earlier starts of the program.
  var sent: [String: SentTransaction] = [:]
  /// What the cluster has where there is an intent.
  var shadows: [String: Edit] = [:]
  /// The changes that the cache doesn't have.
  var unsaved: [String: Edit] = [:]
  /// Whether the cache may lack more than that.
  var isWholeUnsaved = false
  /// Whether the cache is of another history, with revisions that mean nothing now.
  var isCacheOfOther = false
  /// When the entries of the cache were current last, if that is known.
  var dateOfCache: Date?
  /// Whether this process has listed the cluster.
  var wasListed = false

  /// Whether the cache lacks something.
  var hasUnsaved: Bool { !unsaved.isEmpty || isWholeUnsaved || isCacheOfOther }

  /// Notes that the cache gets all.
  mutating func noteSaved() {
    (unsaved, isWholeUnsaved, isCacheOfOther) = ([:], false, false)
  }

  /// What entries of the cluster come to.
  struct News {
    /// What is to be done in the table.
    var edits: [String: Edit] = [:]
    /// What is wrong with some.
    var problems: [SuiteError] = []
    /// What was wrong before.
    var over: [SuiteError] = []
    /// Whether all entries are to be listed, since the content of one isn't known.
    var mustList = false
  }

  /// Judges intents by values, where the revisions that they know are another history's: an entry
  /// counts as untouched if it is what it was.
  mutating func renewIntents(_ entries: [RemoteEntry], revision: Int64) {
    let present = Dictionary(entries.map { ($0.name, $0.content) }) { first, _ in first }
    for (name, intent) in intents {
      var isSame = false
      if case .edit(let edit) = present[name] { isSame = edit == shadows[name] }
      intents[name] = Intent(
        edit: intent.edit, knownUpTo: isSame ? revision : 0, wasThere: intent.wasThere)
    }
  }

  /// Removes an intent.
  mutating func endIntent(of name: String) {
    intents[name] = nil
    shadows[name] = nil
  }

  /// Updates the intents for the entries that a transaction of this program has changed: that isn't
  /// a change of another program. Returns those that are others now.
  mutating func updateIntents(
    after sent: SentTransaction, _ fate: Mark.Fate
  ) -> [String: Intent] {
    var updated: [String: Intent] = [:]
    for (name, edit) in sent.edits {
      guard let intent = intents[name] else { continue }
      let revision: Int64
      switch fate {
      case .notMade: continue
      case .made(let made): revision = made
      case .unknown:
        // The best guess is that a value which the transaction sets is there because of it.
        guard unbelieved[name] == nil, shadows[name] == edit else { continue }
        revision = revisions[name] ?? self.revision
      }
      // Otherwise the intent was noted after the entry was known.
      guard revision > intent.knownUpTo else { continue }
      updated[name] = Intent(
        edit: intent.edit, knownUpTo: revision, wasThere: edit.entry != nil)
    }
    intents.merge(updated) { _, new in new }
    return updated
  }

  /// Notes entries of the cluster. Where an intent waits, the table stays as it is.
  mutating func take(_ entries: [RemoteEntry]) -> News {
    var news = News()
    for entry in entries {
      guard noteKey(of: entry, &news) else { continue }
      revisions[entry.name] = entry.revision == 0 ? nil : entry.revision
      if let problem = unbelieved.removeValue(forKey: entry.name) { news.over.append(problem) }
      switch entry.content {
      case .edit(let edit):
        unsaved[entry.name] = edit
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

/// What was set while the cluster couldn't be reached.
struct Intent: Sendable, Equatable {
  var edit: Edit
  /// The revision up to which the entry was known when it was set.
  let knownUpTo: Int64
  /// Whether there was an entry.
  let wasThere: Bool

  /// Whether nobody has changed the entry since, by its revision now; 0 for none.
  func isUntouched(at revision: Int64) -> Bool {
    wasThere ? revision != 0 && revision <= knownUpTo : revision == 0
  }
}
