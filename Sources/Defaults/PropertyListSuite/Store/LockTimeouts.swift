/// The timeouts for a lock that another process holds.
package struct LockTimeouts: Sendable {
  /// The timeout of a setter. After it, this and later changes wait in memory.
  var setter: Duration
  /// The timeout of changes that depend on stored entries, longer than many processes in turn
  /// usually hold the lock.
  var exact: Duration
  /// The timeout at exit, for changes that wait in memory.
  var exit: Duration

  /// The timeouts of programs.
  package static let standard = Self()

  package init(
    setter: Duration = .seconds(1), exact: Duration = .seconds(30), exit: Duration = .seconds(5)
  ) {
    self.setter = setter
    self.exact = exact
    self.exit = exit
  }
}
