extension Defaults.SuiteError {
  /// Throws `forked` in a child that was forked without an exec.
  package static func checkProcess(of suite: String) throws(Self) {
    guard Forking.isChild else { return }
    throw Self(
      .forked,
      "Nothing was changed: this process was forked, and shares the files and locks of its parent, "
        + "which uses Defaults. Exec a program that opens the suite, or fork before the first "
        + "suite is opened",
      suite: suite)
  }
}
