import Defaults

/// A state after a crash that the store handles wrongly.
struct CrashViolation: CustomStringConvertible {
  let scenario: String
  let problem: String
  /// The number of operations before the crash.
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

  /// The operations before the crash, with the fate of each that wasn't durable.
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
  /// The entries sorted by name, so that a person can compare two lists.
  var sortedText: String {
    "[" + sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
  }
}
