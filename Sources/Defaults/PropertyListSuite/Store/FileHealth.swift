/// What prevents a suite from being stored in its file, and for how long.
struct FileHealth {
  /// How the suite got its entries, and whether changes can be stored.
  private var base: Defaults.Health
  /// Whether the file is binary because the suite's format can't hold an entry.
  private var isSavedAsBinary = false
  /// Whether this user may not write the file or the journal.
  var lacksRights = false
  /// Problems of this commit, which are reported when no lock is held.
  var problems: [SuiteError] = []
  /// How many times in a row a change couldn't be stored.
  private(set) var failures = 0

  init(health: Defaults.Health) {
    base = health
    lacksRights = health == .readOnly
  }

  var health: Defaults.Health { base == .intact && isSavedAsBinary ? .savedAsBinary : base }

  /// Adds a problem, which is reported when no lock is held.
  mutating func add(_ problem: SuiteError) {
    problems.append(problem)
    count(problem)
  }

  /// The problems of this commit, which are reported elsewhere from now on.
  mutating func takeProblems() -> [SuiteError] {
    defer { problems = [] }
    return problems
  }

  /// Counts a problem that the caller throws.
  mutating func count(_ problem: SuiteError) {
    if problem.code == .locked { return }
    failures += 1
    if problem.isLackOfRights { lacksRights = true }
    if base == .intact { base = .readOnly }
  }

  /// Notes that changes can be stored again.
  mutating func end() {
    failures = 0
    lacksRights = false
    if base == .readOnly { base = .intact }
  }

  /// Notes whether the file that was just written is binary in place of XML. The first such file is
  /// an issue.
  mutating func noteSavedAsBinary(because misfit: Defaults.ConversionError?, path: String) {
    let wasSavedAsBinary = isSavedAsBinary
    isSavedAsBinary = misfit != nil
    guard let misfit, !wasSavedAsBinary else { return }
    problems.append(
      SuiteError(
        .unrepresentable,
        "The file was saved as a binary property list, because XML can't hold an entry: \(misfit). "
          + "Remove the entry to get XML again",
        path: path, underlying: misfit))
  }
}
