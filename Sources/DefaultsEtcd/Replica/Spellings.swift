import Defaults
import Foundation

/// The keys of a name with several forms. etcd compares the bytes of keys, but equal names may have
/// different bytes (`é` as one character, and as `e` with an accent).
///
/// The suite only sets the composed form, and removes the others. Other programs may set any form.
struct Spellings: Sendable, Equatable {
  /// The revision of the composed form; nil if there is none.
  var composed: Int64?
  /// The revisions of the other forms.
  var others: [Data: Int64] = [:]

  /// The revision of the form in effect, which is the latest one; nil if there is none.
  var latest: Int64? { ([composed].compactMap(\.self) + others.values).max() }

  /// Whether several keys have the name.
  var areSeveral: Bool { others.count + (composed == nil ? 0 : 1) > 1 }

  /// The effect of a change of one form.
  enum Effect {
    /// The name has the content of this form.
    case counts
    /// Another form is in effect.
    case ignored
    /// The form in effect was removed. Another one takes effect, but its content is unknown.
    case unknown
  }

  /// Stores the current revision of a form.
  mutating func take(_ entry: RemoteEntry) -> Effect {
    let before = latest ?? 0
    let revision = entry.revision == 0 ? nil : entry.revision
    let old: Int64?
    if let key = entry.otherKey {
      old = others[key]
      others[key] = revision
    } else {
      old = composed
      composed = revision
    }
    if let revision { return revision >= before ? .counts : .ignored }
    if latest == nil { return .counts }
    return old == before ? .unknown : .ignored
  }

  /// The problem of a name with several keys.
  static func problem(with name: String) -> SuiteError {
    SuiteError(
      .ambiguousName,
      "Several keys of the cluster have this name, in composed and decomposed form; the latest key "
        + "is used. Set the setting again to remove the other keys", key: name)
  }
}

extension Known {
  /// The revisions that the keys of a name must have if nothing has changed.
  func expectation(of name: String, in space: KeySpace) -> [(key: Data, revision: Int64)] {
    let spellings = spellings[name] ?? Spellings(composed: revisions[name])
    return [(space.key(of: name), spellings.composed ?? 0)]
      + spellings.others.map { (key: $0, revision: $1) }
  }

  /// The edits that set or remove a name. At most one key remains.
  func edits(of name: String, _ bytes: Data?, in space: KeySpace) -> [(key: Data, bytes: Data?)] {
    [(space.key(of: name), bytes)] + (spellings[name]?.others.keys.map { ($0, nil) } ?? [])
  }

  /// Stores how a transaction of this suite has changed the keys of a name.
  mutating func noteKeys(
    of name: String, set revision: Int64?, removed keys: Set<Data>
  ) -> [SuiteError] {
    guard var new = spellings[name] else { return [] }
    let wereSeveral = new.areSeveral
    new.composed = revision
    for key in keys { new.others[key] = nil }
    spellings[name] = new.others.isEmpty ? nil : new
    return wereSeveral && !new.areSeveral ? [Spellings.problem(with: name)] : []
  }

  /// Stores the key of an entry. Returns whether the entry is the name's current one.
  mutating func noteKey(of entry: RemoteEntry, _ news: inout News) -> Bool {
    guard entry.otherKey != nil || spellings[entry.name] != nil else { return true }
    var new = spellings[entry.name] ?? Spellings(composed: revisions[entry.name])
    let wereSeveral = new.areSeveral
    let effect = new.take(entry)
    spellings[entry.name] = new.others.isEmpty ? nil : new
    revisions[entry.name] = new.latest
    if new.areSeveral != wereSeveral {
      let problem = Spellings.problem(with: entry.name)
      if wereSeveral { news.over.append(problem) } else { news.problems.append(problem) }
    }
    if case .unknown = effect { news.mustList = true }
    if case .counts = effect { return true }
    return false
  }
}
