/// The entries of a suite and the sum of their sizes. The entries can be held while they change.
///
/// A dictionary with a second owner is copied, whole, by the next change. While a snapshot holds the
/// entries, changes are stored beside them instead, and merged into them when it is done: a setter
/// costs the same meanwhile, however many entries there are.
struct Entries {
  private var settled: [String: PropertyListValue]
  /// The changes since the entries are held; empty while they aren't.
  private var changed: [String: Edit] = [:]
  private var isHeld = false
  /// The bytes that all entries take in a journal, with their names. Each change adds its difference,
  /// so that the limit of a suite's size is checked without a walk over all entries.
  private(set) var size: Int

  /// Entries, whose sizes are added up here once.
  init(_ entries: [String: PropertyListValue]) {
    settled = entries
    size = entries.reduce(0) { $0 + Self.size(of: $1.value, named: $1.key) }
  }

  /// The bytes that an entry takes in a journal, with its name.
  static func size(of value: PropertyListValue, named name: String) -> Int {
    name.utf8.count + value.encodedSize
  }

  /// The entry of a name.
  subscript(name: String) -> PropertyListValue? {
    get {
      if isHeld, let edit = changed[name] { return edit.entry }
      return settled[name]
    }
    set {
      let old: PropertyListValue?
      if isHeld {
        let edit = changed.updateValue(Edit(entry: newValue), forKey: name)
        old = edit.map(\.entry) ?? settled[name]
      } else if let newValue {
        old = settled.updateValue(newValue, forKey: name)
      } else {
        old = settled.removeValue(forKey: name)
      }
      if let old { size -= Self.size(of: old, named: name) }
      if let newValue { size += Self.size(of: newValue, named: name) }
    }
  }

  /// All entries. The next change copies them if the caller still has them then.
  var all: [String: PropertyListValue] {
    var copy = self
    copy.release()
    return copy.settled
  }

  /// All entries, for one holder at a time, which calls `release` in the end.
  mutating func hold() -> [String: PropertyListValue] {
    release()
    isHeld = true
    return settled
  }

  /// Merges what changed into what was held.
  mutating func release() {
    isHeld = false
    for (name, edit) in changed { settled[name] = edit.entry }
    changed = [:]
  }
}
