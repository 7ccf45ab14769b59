import Defaults

/// A state that a crash can leave and that the store makes something wrong of.
struct CrashViolation: CustomStringConvertible {
  let scenario: String
  let problem: String
  /// After how many operations the crash came.
  let prefix: Int
  let description: String

  init<Subject>(
    _ recording: CrashRecording<Subject>, _ state: CrashState,
    _ second: (state: CrashState, log: [DiskOperation])?,
    acceptable: [CrashScenario<Subject>.Entries], _ problem: String
  ) {
    scenario = recording.scenario.name
    self.problem = problem
    prefix = state.prefix
    var lines = [
      "\(recording.scenario.name), \(state.isKill ? "killed" : "power cut") after "
        + "\(prefix) operations: \(problem)",
      "acceptable: \(acceptable.map(\.sortedText).joined(separator: " or "))",
      "steps: \(recording.steps(before: prefix).joined(separator: ", "))", "operations:",
    ]
    lines += Self.operations(state, recording.log)
    if let second {
      lines += ["and then, while that was opened:"] + Self.operations(second.state, second.log)
    }
    lines += ["on the disk:", (second?.state ?? state).image.description]
    description = lines.joined(separator: "\n")
  }

  /// The operations up to the crash, each with what became of it if that wasn't certain.
  private static func operations(_ state: CrashState, _ log: [DiskOperation]) -> [String] {
    log.prefix(state.prefix).enumerated().map { number, operation in
      let fate =
        switch state.survivals[number] {
        case nil: ""
        case .whole: "  (not synced, there)"
        case .missing: "  (missing)"
        case .short(let count): "  (only \(count) bytes)"
        case .zeroed(let range): "  (zeros in \(range))"
        }
      return "  \(number + 1). \(operation)\(fate)"
    }
  }
}

extension [String: Defaults.PropertyListValue] {
  /// The entries in the order of their names, so that two lists can be compared by eye.
  var sortedText: String {
    "[" + sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
  }
}
