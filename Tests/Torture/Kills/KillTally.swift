/// What came of a number of kills.
struct KillTally {
  var kills = 0
  /// Of these, before the child had said anything.
  var killsAtStart = 0
  /// Sets that returned, by what the children reported.
  var reported = 0
  /// Keys whose values were compared with what was reported, after all kills together.
  var compared = 0
  /// Of these, keys that held something older than was reported, or nothing that was ever set.
  var lost = 0
  /// States that never were: a later set is there, an earlier one isn't.
  var impossible = 0
  var unopened = 0
  /// Openings that found a damaged file, by the health of the suite.
  var damaged = 0
  /// How often a state was checked: by this process, or by the next child at its start.
  var checks = 0
  var checksByChild = 0
  /// Property lists that were there after a kill.
  var files = 0
  /// What went wrong, a sentence each.
  var failures: [String] = []

  static func += (sum: inout KillTally, other: KillTally) {
    sum.kills += other.kills
    sum.killsAtStart += other.killsAtStart
    sum.reported += other.reported
    sum.compared += other.compared
    sum.lost += other.lost
    sum.impossible += other.impossible
    sum.unopened += other.unopened
    sum.damaged += other.damaged
    sum.checks += other.checks
    sum.checksByChild += other.checksByChild
    sum.files += other.files
    sum.failures += other.failures
  }
}
