/// The obstacles to storing a suite in its file, and its health.
struct FileHealth {
  /// How the suite got its entries, and whether changes can be stored.
  private var base: Defaults.Health
  /// Whether the file is binary because the suite's format can't represent an entry.
  var isSavedAsBinary = false
  /// Whether this user may not write the file or the journal.
  var lacksRights = false
  /// The number of consecutive failures to store a change.
  private(set) var failures = 0

  init(health: Defaults.Health) {
    base = health
    lacksRights = health == .readOnly
  }

  var health: Defaults.Health { base == .intact && isSavedAsBinary ? .savedAsBinary : base }

  /// Counts a failure to store a change, which the caller throws or reports.
  mutating func count(_ problem: SuiteError) {
    if problem.code == .locked { return }
    failures += 1
    if problem.isLackOfRights { lacksRights = true }
    if base == .intact { base = .readOnly }
  }

  /// Records that changes can be stored again.
  mutating func end() {
    failures = 0
    lacksRights = false
    if base == .readOnly { base = .intact }
  }
}
