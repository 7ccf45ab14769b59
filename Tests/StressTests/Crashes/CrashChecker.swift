import Defaults

/// Opens every state that a crash can leave in a scenario, and reports wrong results.
struct CrashChecker {
  var seed: UInt64 = 1
  /// The maximum number of combinations at one point that are all tried.
  var limit = 1024
  /// The number of random samples if there are more combinations.
  var samples = 256
  /// Of the states after a power loss at all points, only every `stride`-th is tried. The same
  /// holds for a second power loss.
  var stride = 1
  /// Every `secondCrashes`-th state has a second crash while it is opened; 0 for none.
  var secondCrashes = 50
  /// The number of violations after which a scenario ends.
  var violationLimit = 5

  /// The numbers of tries, and the violations.
  struct Report {
    /// The built states.
    var built = 0
    /// The opened states, which differ in their disks or their acceptable entries.
    var opened = 0
    /// The opened states after a second crash.
    var openedTwice = 0
    var violations: [CrashViolation] = []

    static func += (total: inout Self, part: Self) {
      total.built += part.built
      total.opened += part.opened
      total.openedTwice += part.openedTwice
      total.violations += part.violations
    }
  }

  /// Plays the scenario and tries its crashes. Throws if it can't be played.
  func check<Subject>(_ scenario: CrashScenario<Subject>) throws -> Report {
    let recording = try CrashRecording(scenario)
    var states = CrashStates(
      from: recording.start, log: recording.log, seed: seed, limit: limit, samples: samples,
      stride: stride)
    var report = Report()
    var known: Set<[Int]> = []
    repeat {
      states.forEach { state in
        guard report.violations.count < violationLimit else { return }
        report.built += 1
        let range = recording.acceptable(after: state)
        let key = [state.image.fingerprint, range.lowerBound, range.upperBound]
        guard known.insert(key).inserted else { return }
        report.opened += 1
        let isFirst = secondCrashes > 0 && report.opened % secondCrashes == 1
        open(state, recording, Array(recording.expected[range]), isFirst, &report)
      }
    } while report.violations.count < violationLimit && states.advance()
    return report
  }

  /// Opens a state twice and, if requested, tries the crashes during that.
  private func open<Subject>(
    _ state: CrashState, _ recording: CrashRecording<Subject>,
    _ acceptable: [CrashScenario<Subject>.Entries], _ crashesAgain: Bool, _ report: inout Report
  ) {
    let disk = Self.disk(state.image, recording.scenario)
    let subject = recording.scenario.subject
    func fail(_ problem: String, _ second: (state: CrashState, log: [DiskOperation])? = nil) {
      report.violations.append(
        CrashViolation(recording, state, second, acceptable: acceptable, problem))
    }
    let entries: CrashScenario<Subject>.Entries
    do {
      entries = try Self.run(subject, on: disk)
      guard acceptable.contains(entries) else { return fail("it opens to \(entries.sortedText)") }
      try subject.inspect(disk)
      let again = try Self.run(subject, on: Self.disk(disk.image, recording.scenario))
      guard again == entries else {
        return fail("it opens to \(entries.sortedText), and then to \(again.sortedText)")
      }
    } catch {
      return fail("it can't be used: \(error)")
    }
    guard crashesAgain else { return }
    let log = disk.log
    var states = CrashStates(
      from: state.image, log: log, seed: seed, limit: limit / 16, samples: samples / 16,
      stride: stride)
    var known: Set<Int> = []
    repeat {
      states.forEach { second in
        guard report.violations.count < violationLimit else { return }
        report.built += 1
        guard known.insert(second.image.fingerprint).inserted else { return }
        report.openedTwice += 1
        do {
          let again = try Self.run(subject, on: Self.disk(second.image, recording.scenario))
          guard again != entries else { return }
          fail("it opens to \(entries.sortedText), and then to \(again.sortedText)", (second, log))
        } catch {
          fail("it opens to \(entries.sortedText), and then can't be used: \(error)", (second, log))
        }
      }
    } while states.advance()
  }

  /// The entries in a process that starts on the disk and ends normally.
  private static func run<Subject: CrashSubject>(
    _ subject: Subject, on disk: SimulatedDisk
  ) throws -> CrashScenario<Subject>.Entries {
    let process = try subject.open(on: disk)
    let entries = try subject.entries(of: process)
    try subject.finish(process)
    return entries
  }

  private static func disk<Subject>(
    _ image: DiskImage, _ scenario: CrashScenario<Subject>
  ) -> SimulatedDisk {
    SimulatedDisk(
      image, reusesNumbers: scenario.reusesNumbers, operationsPerTick: scenario.operationsPerTick)
  }
}
