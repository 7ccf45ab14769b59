extension Defaults {
  /// The entries of a suite, which can be held while they change.
  ///
  /// A dictionary that somebody holds is copied, whole, by the next change. While a snapshot holds
  /// the entries, what changes is kept beside them instead, and laid over them when it is done: a
  /// setter costs the same meanwhile, however many entries there are.
  struct Entries {
    private var settled: [String: PropertyListValue]
    /// What changed since the entries are held; empty while they aren't.
    private var changed: [String: Edit] = [:]
    private var isHeld = false

    init(_ entries: [String: PropertyListValue]) { settled = entries }

    /// The entry of a name.
    subscript(name: String) -> PropertyListValue? {
      get {
        if isHeld, let edit = changed[name] { return edit.entry }
        return settled[name]
      }
      set {
        if isHeld {
          changed[name] = Edit(entry: newValue)
        } else {
          settled[name] = newValue
        }
      }
    }

    /// All entries. The next change copies them if somebody still has them then.
    var all: [String: PropertyListValue] {
      var copy = self
      copy.release()
      return copy.settled
    }

    /// All entries, for somebody who calls `release` when he doesn't have them anymore; one at a
    /// time.
    mutating func hold() -> [String: PropertyListValue] {
      release()
      isHeld = true
      return settled
    }

    /// Lays what changed over what was held.
    mutating func release() {
      isHeld = false
      for (name, edit) in changed { settled[name] = edit.entry }
      changed = [:]
    }
  }
}
