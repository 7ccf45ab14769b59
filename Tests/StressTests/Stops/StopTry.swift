import Defaults
import Foundation
import Harness

/// Stops one process at a system call while another one does everything, and then resumes or kills
/// the first one.
struct StopTry: Sendable {
  /// The number of the call at which it stops, from 1.
  let number: Int
  let isKilled: Bool
  /// Whether the other process ends while the first one is stopped.
  let endsBeside: Bool

  struct Outcome {
    /// Whether the call was reached.
    var happened = false
    /// The number of the other process's steps that threw because of the lock.
    var refused = 0
    /// The lost entries that the other process reported when it ended.
    var announced = 0
    var lost = 0
    var problems: [String] = []
  }

  func run(in scratch: Scratch) throws -> Outcome {
    let folder = try scratch.newFolder("stops")
    defer { scratch.remove(folder) }
    let environment = Subject.environment(for: folder)
    let child = try Child(
      ChildCommand.arguments("call", .defaults, folder, CallFault.stop.rawValue, number, 1),
      environment: environment)
    var outcome = Outcome()
    outcome.happened = child.waitForStop()
    guard outcome.happened else { return outcome }
    let other = try Child(
      ChildCommand.arguments("beside", .defaults, folder, LockPatience.short),
      environment: environment)
    var otherLines: [String] = []
    while let line = try other.output.next() {
      otherLines.append(line)
      if line.hasPrefix("sees") { break }
    }
    if endsBeside { try end(other, &otherLines) }
    if isKilled { child.kill() } else { child.resume() }
    let lines = try child.output.rest()
    let ending = child.wait()
    if !endsBeside { try end(other, &otherLines) }
    judge(
      CallReport(lines, of: CallScenario(prefix: "a"), prefix: "a", ending: ending),
      CallReport(
        otherLines, of: CallScenario(prefix: "b", reopens: false), prefix: "b",
        ending: other.wait()),
      in: folder, &outcome)
    return outcome
  }

  /// Ends the other process.
  private func end(_ other: Child, _ lines: inout [String]) throws {
    other.send("g")
    lines += try other.output.rest()
    other.wait()
  }

  private func judge(
    _ report: CallReport, _ other: CallReport, in folder: URL, _ outcome: inout Outcome
  ) {
    var problems: [String] = []
    let expected: Child.Ending = isKilled ? .killed(by: SIGKILL) : .exited(0)
    for (report, expected) in [(report, expected), (other, .exited(0))] {
      if report.ending != expected {
        problems.append("\(report.prefix) ended with \(report.ending)")
      }
      if expected == .exited(0), !report.isComplete {
        problems.append("\(report.prefix) left steps out")
      }
      // Without the lock, a process may throw, and may report that a change waits.
      let refusals = report.refused.filter { $0.value != "locked" }
      if !refusals.isEmpty { problems.append("steps of \(report.prefix) threw: \(refusals)") }
      // Issues at exit are compared with the entries that they name.
      let issues = report.issues.filter {
        !$0.hasPrefix("! locked") && !report.lastWords.contains($0)
      }
      if !issues.isEmpty { problems.append("issues of \(report.prefix): \(issues)") }
    }
    outcome.refused = other.refused.count + report.refused.count
    do {
      let found = try SettingsReader.read(.defaults, in: folder)
      if !found.isIntact { problems.append("the health isn't intact") }
      problems += found.issues.map { "an issue afterwards: \($0)" }
      var counter = CounterRange()
      for report in [report, other] {
        counter.add(report)
        let (own, wrong) = report.compare(with: found.entries)
        if wrong > 0 {
          let expected = report.outcomes.map(\.entries.sortedText).joined(separator: " or ")
          let isAnnounced = !report.lastWords.isEmpty
          outcome.announced += isAnnounced ? wrong : 0
          outcome.lost += isAnnounced ? 0 : wrong
          // At exit, a waiting set is given some seconds, and then reported as lost.
          if isAnnounced { continue }
          problems.append("\(report.prefix) left \(own.sortedText) and not \(expected)")
        }
      }
      let error = counter.error(in: found.entries)
      outcome.lost += error
      if error > 0 { problems.append("the counter is wrong by \(error)") }
      // The last step of the first process, unless it was stopped after it, reads all changes of
      // the other one.
      let others = found.entries.filter { $0.key.hasPrefix("b.") }.sortedText
      let wasStoppedBefore = report.calls?.faultHappened ?? true
      if endsBeside, !isKilled, wasStoppedBefore, let sees = report.sees, sees != others {
        problems.append("they disagree: one sees \(sees), the file has \(others)")
      }
    } catch {
      problems.append("the settings don't open: \(error)")
    }
    outcome.problems = problems.map { "\(self): \($0)" }
  }
}

extension StopTry: CustomStringConvertible {
  var description: String {
    "stopped at call \(number), \(isKilled ? "then killed" : "then continued"), the other one "
      + (endsBeside ? "ended meanwhile" : "ended afterwards")
  }
}
