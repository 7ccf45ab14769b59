/// A row of the table.
struct Row {
  /// The result of Foundation's `UserDefaults` in the same test.
  struct Reference {
    let lost: Int
    let tried: Int
    /// Other failures, in a few words.
    var remark = ""
  }

  /// The campaign's name.
  let name: String
  /// The tested action, in a few words.
  let what: String
  /// The number of tries.
  let times: Int
  /// The number of losses.
  let lost: Int
  /// nil if the test doesn't apply to `UserDefaults`.
  var reference: Reference?
  /// Further figures, one fact each.
  var figures: [String] = []
  /// Other failures, one sentence each: a suite that doesn't open, a program that hangs.
  var failures: [String] = []

  /// Whether there are no losses and no failures.
  var isGood: Bool { lost == 0 && failures.isEmpty }
}
