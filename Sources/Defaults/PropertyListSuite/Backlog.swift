/// The entries that are in memory and not in the journal yet.
struct Backlog {
  /// Why an entry waits.
  enum Cause {
    /// It was set, at this time of ``MonotonicClock``, when the journal couldn't be written.
    case set(at: UInt64)
    /// It was in the journal before, where its record ended here, and that journal was lost.
    case lost(position: Int)
  }

  private struct Waiting {
    /// What the file has, as far as it is known.
    let filed: Edit
    var cause: Cause
  }

  private var entries: [String: Waiting] = [:]

  var isEmpty: Bool { entries.isEmpty }
  var names: some Collection<String> { entries.keys }

  func has(_ name: String) -> Bool { entries[name] != nil }

  /// What the file has under a name that waits.
  func filed(_ name: String) -> Edit? { entries[name]?.filed }

  /// When the entry was set that waits under a name.
  func mark(of name: String) -> UInt64? {
    guard case .set(let time) = entries[name]?.cause else { return nil }
    return time
  }

  /// Adds an entry, or changes why it waits.
  ///
  /// A setter that had to wait may come after one that was called later: what it set is as new,
  /// since it took that one's place.
  mutating func add(_ name: String, filed: Edit, _ cause: Cause) {
    var cause = cause
    if case .set(let time) = cause, let earlier = mark(of: name) {
      cause = .set(at: max(time, earlier))
    }
    entries[name] = Waiting(filed: entries[name]?.filed ?? filed, cause: cause)
  }

  mutating func remove(_ name: String) { entries[name] = nil }

  /// Whether an entry that waits is newer than one that is in the journal; the one in the journal
  /// was asked for at `mark`, or lay at `lostPosition` of the journal that was lost.
  func outlasts(_ name: String, mark: UInt64, lostPosition: Int?) -> Bool {
    switch (entries[name]?.cause, lostPosition) {
    case (nil, _): false
    case (.set(let time), nil): mark <= time
    case (.set, _): true
    case (.lost, nil): false
    case (.lost(let position), let other?): position > other
    }
  }

  /// What waits, by the kind of record that it goes into: what was lost is older.
  var batches: [(kind: JournalRecord.Kind, names: [(name: String, mark: UInt64)])] {
    var lost: [(name: String, mark: UInt64)] = []
    var set: [(name: String, mark: UInt64)] = []
    for (name, waiting) in entries {
      switch waiting.cause {
      case .lost(let position): lost.append((name, UInt64(max(1, position))))
      case .set(let time): set.append((name, time))
      }
    }
    return [(.restored, lost), (.changes, set)].filter { !$0.1.isEmpty }
  }
}
