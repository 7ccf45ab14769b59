/// The results of a number of kills.
struct KillTally {
  var kills = 0
  /// The kills before the child's first output.
  var killsAtStart = 0
  /// The returned sets, as reported by the children.
  var reported = 0
  /// The keys whose values were compared with the reports, after all kills together.
  var compared = 0
  /// The keys with an older value than reported, or with one that was never set.
  var lost = 0
  /// The impossible states, with a later set but without an earlier one.
  var impossible = 0
  var unopened = 0
  /// Openings with a damaged file, according to the health of the suite.
  var damaged = 0
  /// The number of checks by this process, and by the next child at its start.
  var checks = 0
  var checksByChild = 0
  /// The property lists after kills.
  var files = 0
  /// The failures, one sentence each.
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
