extension Defaults.SuiteError {
  /// Throws `forked` in a child that was forked without an exec.
  package static func checkProcess(of suite: String) throws(Self) {
    guard Forking.isChild else { return }
    throw Self(
      .forked,
      "This process was forked from one that uses Defaults, whose files and locks it shares, so it "
        + "changes nothing. Have it exec a program that opens the suite, or fork before the first "
        + "suite is opened",
      suite: suite)
  }
}

extension Defaults.StoredSuite {
  /// Throws `forked` in a forked child, where the entries are the parent's to change.
  ///
  /// Called before any lock is taken, which a thread that the child lacks may have; and after a
  /// body, which may have forked.
  func checkProcess() throws(SuiteError) {
    guard !isInMemory, Forking.isChild else { return }
    persistence.leaveParent()
    try SuiteError.checkProcess(of: label)
  }
}
