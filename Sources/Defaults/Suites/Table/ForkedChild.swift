extension Defaults.SuiteError {
  /// Throws `forked` in a child that was forked without an exec.
  package static func checkProcess(of suite: String) throws(Self) {
    guard Forking.isChild else { return }
    throw Self(
      .forked,
      "This process was forked from one that uses Defaults and shares its files and locks, so "
        + "nothing was changed. Exec a program that opens the suite, or fork before the first "
        + "suite is opened",
      suite: suite)
  }
}
