/// The entries of a suite and the sum of their sizes. A snapshot can hold the entries while they
/// change.
///
/// A change to a dictionary with two owners copies all of it. While a snapshot holds the entries,
/// changes are therefore stored separately and merged at its end. Thus a setter takes the same time
/// at any number of entries.
struct Entries: Equatable, Sendable {
  private var settled: [String: PropertyListValue]
  /// The changes while the entries are held; otherwise empty.
  private var changed: [String: Edit] = [:]
  private var isHeld = false
  /// The same object for entries and their copy until one of them changes; nil for ``none``.
  private var identity: Identity?
  /// The size in bytes of all entries and their names in a journal. Each change adds its
  /// difference, so that checking the limit of a suite's size takes constant time.
  private(set) var size: Int

  private final class Identity: Sendable {}

  /// A placeholder without entries and without an identity, which needs no object.
  static var none: Self { Self() }

  private init() { (settled, size) = ([:], 0) }

  init(_ entries: [String: PropertyListValue]) {
    settled = entries
    identity = Identity()
    size = entries.reduce(0) { $0 + Self.size(of: $1.value, named: $1.key) }
  }

  /// Returns the size in bytes of an entry and its name in a journal.
  static func size(of value: PropertyListValue, named name: String) -> Int {
    name.utf8.count + value.encodedSize
  }

  subscript(name: String) -> PropertyListValue? {
    get {
      if isHeld, let edit = changed[name] { return edit.entry }
      return settled[name]
    }
    set { update(newValue, named: name) }
  }

  /// Throws if changes make a suite too large. A suite that an edit of the property list has made
  /// too large may still become smaller. `size` is the size of all entries before the changes.
  static func requireRoom(
    for changes: [EntryChange], after size: Int, path: @autoclosure () -> String
  ) throws(SuiteError) {
    let limit = Defaults.SizeLimit.suite
    // True for nearly all single changes, since `validate` has limited the size of each value.
    if size + changes.count * Defaults.SizeLimit.value <= limit { return }
    let new = changes.reduce(size) { size, change in
      size - (change.old.map { Self.size(of: $0, named: change.name) } ?? 0)
        + (change.new.map { Self.size(of: $0, named: change.name) } ?? 0)
    }
    guard new > max(limit, size) else { return }
    throw SuiteError(
      .unrepresentable,
      "All entries together would take \(new >> 20) MiB, and the limit is \(limit >> 20). Remove "
        + "some, or keep large values in separate files",
      path: path())
  }

  /// Returns the change that an edit would make; nil if the entry would stay the same.
  func change(_ edit: Defaults.Edit, named name: String) -> EntryChange? {
    let (old, new) = (self[name], edit.entry)
    return old == new ? nil : EntryChange(name: name, old: old, new: new)
  }

  /// Changes the entry of a name, or removes it, and returns the old one.
  @discardableResult
  mutating func update(_ new: PropertyListValue?, named name: String) -> PropertyListValue? {
    if !isKnownUniquelyReferenced(&identity) { identity = Identity() }
    let old: PropertyListValue?
    if isHeld {
      let edit = changed.updateValue(Edit(entry: new), forKey: name)
      old = edit.map(\.entry) ?? settled[name]
    } else if let new {
      old = settled.updateValue(new, forKey: name)
    } else {
      old = settled.removeValue(forKey: name)
    }
    if let old { size -= Self.size(of: old, named: name) }
    if let new { size += Self.size(of: new, named: name) }
    return old
  }

  var isEmpty: Bool { size == 0 }

  /// Returns whether this is a copy of other entries, and both are unchanged since, whether or not
  /// one of them is held.
  func isCopy(of other: Self) -> Bool { identity === other.identity }

  /// All entries. The next change copies them if the caller still holds them.
  var all: [String: PropertyListValue] {
    var copy = self
    copy.release()
    return copy.settled
  }

  /// Returns all entries to a single holder, which must call `release` when it is done.
  mutating func hold() -> [String: PropertyListValue] {
    release()
    isHeld = true
    return settled
  }

  /// Merges the changes since `hold` into the entries.
  mutating func release() {
    isHeld = false
    for (name, edit) in changed { settled[name] = edit.entry }
    changed = [:]
  }

  static func == (left: Self, right: Self) -> Bool {
    left.isCopy(of: right) || left.all == right.all
  }
}
