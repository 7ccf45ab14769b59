/// The changes in memory that aren't in the log yet, since it can't be written or locked.
struct WaitingChanges {
  /// The latest change of each name.
  private(set) var byName: [String: LogRecord.JoinedChange] = [:]
  /// The latest version of all changes that had to wait since the opening.
  private(set) var latest = LogVersion.zero
  /// After a failed attempt to store changes: its bytes, less a constant for each later commit.
  /// Only below zero, a set makes another attempt, which writes all of these changes again.
  private(set) var debt = 0

  private static let bytesPerCommit = 4_096

  var isEmpty: Bool { byName.isEmpty }

  /// Adds a change, unless a newer change of its name is waiting.
  mutating func add(_ change: LogRecord.JoinedChange) {
    latest = max(latest, change.version)
    if let present = byName[change.name], present.version > change.version { return }
    byName[change.name] = change
  }

  mutating func remove(_ name: String) { byName[name] = nil }

  mutating func removeAll() { byName = [:] }

  /// Counts a commit. Returns whether a set makes an attempt to store the changes.
  mutating func countCommit() -> Bool {
    debt -= Self.bytesPerCommit
    return debt < 0
  }

  /// Records that an attempt to store `count` bytes failed.
  mutating func noteFailure(of count: Int) { debt = max(isEmpty ? 0 : debt, count) }

  /// Records that changes can be stored again.
  mutating func noteSuccess() { debt = 0 }
}
