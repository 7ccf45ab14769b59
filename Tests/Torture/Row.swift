/// A line of the table.
struct Row {
  /// What Foundation's `UserDefaults` did in the same test.
  struct Reference {
    let lost: Int
    let tried: Int
    /// What else went wrong there, in a few words.
    var remark = ""
  }

  /// The campaign's name.
  let name: String
  /// What was tried, in a few words.
  let what: String
  /// How often.
  let times: Int
  /// What was lost of that.
  let lost: Int
  /// nil where the test has no meaning for it.
  var reference: Reference?
  /// Further figures, one fact each.
  var figures: [String] = []
  /// What must not happen either: a suite that doesn't open, a program that hangs. One sentence
  /// each.
  var failures: [String] = []

  /// Whether the promise was kept.
  var isGood: Bool { lost == 0 && failures.isEmpty }
}
