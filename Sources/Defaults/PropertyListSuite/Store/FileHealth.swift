/// The obstacles to storing a suite in its file, and its health.
struct FileHealth {
  /// How the suite got its entries, and whether changes can be stored.
  private var base: Defaults.Health
  /// Whether the file is binary because the suite's format can't represent an entry.
  var isSavedAsBinary = false
  /// Whether this user may not write the file or the journal.
  var lacksRights = false
  /// Problems of this commit, to be reported without a lock.
  var problems: [SuiteError] = []
  /// The number of consecutive failures to store a change.
  private(set) var failures = 0

  init(health: Defaults.Health) {
    base = health
    lacksRights = health == .readOnly
  }

  var health: Defaults.Health { base == .intact && isSavedAsBinary ? .savedAsBinary : base }

  /// Adds a problem, to be reported without a lock.
  mutating func add(_ problem: SuiteError) {
    problems.append(problem)
    count(problem)
  }

  /// Moves the problems of this commit to a list, for the caller to report.
  mutating func moveProblems(to list: inout [SuiteError]) {
    if problems.isEmpty { return }
    list += problems
    problems = []
  }

  /// Counts a problem that the caller throws.
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
