import Defaults
import Foundation
import Harness

/// One run of the scenario with a fault at one of its calls.
struct CallTry: Sendable {
  let fault: CallFault
  /// The number of the call, from 1.
  let number: Int
  /// Whether a second process uses the file at the same time.
  let hasCompany: Bool

  struct Outcome {
    /// Whether the fault happened.
    var happened = false
    /// The number of the child's calls; nil if it was killed.
    var calls: Int?
    /// The number of wrong entries, plus the error of the counter.
    var lost = 0
    var problems: [String] = []
  }

  /// Runs the scenario in its own folder, and leaves a copy of the property list at `copy`.
  func run(in scratch: Scratch, keeping copy: URL) throws -> Outcome {
    let folder = try scratch.newFolder("calls")
    defer { scratch.remove(folder) }
    let file = Subject.defaults.file(in: folder)
    let child = try Child(
      ChildCommand.arguments("call", .defaults, folder, fault.rawValue, number, hasCompany ? 1 : 0),
      environment: Subject.environment(for: folder))
    let company = hasCompany ? CallCompany(at: file) : nil
    let lines = Result { try child.output.rest() }
    let ending = child.wait()
    let work = company?.finish()
    let report = CallReport(
      try lines.get(), of: CallScenario(prefix: "a"), prefix: "a", ending: ending)
    var outcome = Outcome()
    outcome.happened = fault.kills ? ending != .exited(0) : report.calls?.faultHappened == true
    outcome.calls = report.calls?.count
    var problems = problems(report, ending)
    problems += work?.problems ?? []
    check(report, work, in: folder, &outcome, &problems)
    if FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.copyItem(at: file, to: copy)
    }
    outcome.problems = problems.map { "\(self): \($0)" }
    return outcome
  }

  private func problems(_ report: CallReport, _ ending: Child.Ending) -> [String] {
    var problems: [String] = []
    if ending != .exited(0), !(fault.kills && ending == .killed(by: SIGKILL)) {
      problems.append("it ended with \(ending)")
    }
    if ending == .exited(0), !report.isComplete { problems.append("it left steps out") }
    // Only a failing call can make a step throw.
    let mayThrow = fault == .error || fault == .fullDisk
    if !mayThrow, !report.refused.isEmpty { problems.append("steps threw: \(report.refused)") }
    if !mayThrow, !report.issues.isEmpty { problems.append("issues: \(report.issues)") }
    return problems
  }

  /// Opens the settings twice, like two processes that start one after the other.
  private func check(
    _ report: CallReport, _ work: CallCompany.Work?, in folder: URL, _ outcome: inout Outcome,
    _ problems: inout [String]
  ) {
    do {
      let first = try SettingsReader.read(.defaults, in: folder)
      let second = try SettingsReader.read(.defaults, in: folder)
      if !first.isIntact || !second.isIntact { problems.append("the health isn't intact") }
      problems += (first.issues + second.issues).map { "an issue afterwards: \($0)" }
      if first.entries != second.entries {
        problems.append(
          "it opens to \(first.entries.sortedText), and then to \(second.entries.sortedText)")
      }
      let (own, wrong) = report.compare(with: first.entries)
      var counter = CounterRange()
      counter.add(report)
      counter.add(work?.count ?? 0)
      let error = counter.error(in: first.entries)
      let others = work.map { CallCompany.wrong(in: first.entries, after: $0) } ?? 0
      outcome.lost = wrong + error + others
      if wrong > 0 {
        let expected = report.outcomes.map(\.entries.sortedText).joined(separator: " or ")
        problems.append("it left \(own.sortedText) and not \(expected)")
      }
      if error > 0 { problems.append("the counter is wrong by \(error)") }
      if others > 0 { problems.append("\(others) entries of the second process are wrong") }
      let known: Set = ["Settings.plist", "Settings.plist.journal"]
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let left = Set(names).subtracting(known)
      if !left.isEmpty { problems.append("left behind: \(left.sorted())") }
    } catch {
      problems.append("the settings don't open: \(error)")
    }
  }
}

extension CallTry: CustomStringConvertible {
  var description: String {
    "\(fault.name) at call \(number)" + (hasCompany ? ", with a second process" : "")
  }
}
