import Foundation
import Harness

/// Kills one child after another, and checks the remaining state each time.
///
/// The same file is used for many kills, so each recovery starts from the result of the previous
/// one. After some kills, the next child is the first process to open the file.
struct KillLane {
  let subject: Subject
  let scratch: Scratch
  /// The folder for copies of all property lists.
  let plists: URL
  let lane: Int
  let kills: Int
  private var random: SeededGenerator
  private var folder: URL
  /// The last reported or seen step of each writer.
  private var floors: [Int: Int] = [:]
  private var tally = KillTally()

  init(
    _ subject: Subject, kills: Int, scratch: Scratch, plists: URL, lane: Int, seed: UInt64
  ) throws {
    self.subject = subject
    self.scratch = scratch
    self.plists = plists
    self.lane = lane
    self.kills = kills
    random = SeededGenerator(seed: seed, lane: lane)
    folder = try scratch.newFolder("kills")
  }

  mutating func run() throws -> KillTally {
    while tally.kills < kills {
      try killOnce()
      try keepPropertyList()
      let isLast = random.happens(percent: 10) || tally.kills >= kills
      let isSound = isLast || random.happens(percent: 75) ? check() : true
      // `UserDefaults` needs half a second to find that it can't read a file.
      guard isLast || subject == .userDefaults && !isSound else { continue }
      scratch.remove(folder)
      floors = [:]
      folder = try scratch.newFolder("kills")
    }
    scratch.remove(folder)
    return tally
  }

  /// Starts one child, or two on the same file, and kills each at a random time.
  private mutating func killOnce() throws {
    let isDefaults = subject == .defaults
    let areTwo = isDefaults && kills - tally.kills > 1 && random.happens(percent: 20)
    let writers = areTwo ? [0, 1] : [0]
    let children = try writers.map { writer in
      let habit = isDefaults ? GrowingChild.Habit.allCases.randomElement(using: &random) : nil
      return try Child(
        ChildCommand.arguments(
          "grow", subject, folder, writer, (habit ?? .setting).rawValue,
          Int.random(in: 0..<1_000_000, using: &random)),
        environment: Subject.environment(for: folder))
    }
    for (writer, child) in zip(writers, children) {
      let isAtStart = random.happens(percent: 15)
      let delay = UInt32.random(in: 0..<(isAtStart ? 25_000 : 15_000), using: &random)
      var lines: [String] = []
      if !isAtStart, let first = try child.output.next() { lines.append(first) }
      usleep(delay)
      child.kill()
      lines += try child.output.rest()
      let ending = child.wait()
      if ending != .killed(by: SIGKILL) { fail("A child ended by itself, with \(ending)") }
      take(lines, of: writer)
    }
  }

  /// Reads the report of a killed child.
  private mutating func take(_ lines: [String], of writer: Int) {
    tally.kills += 1
    if lines.isEmpty { tally.killsAtStart += 1 }
    for line in lines {
      if let step = Int(line) {
        floors[writer] = step
        tally.reported += 1
      } else if line.hasPrefix("found "), let found = GrowingValues(line.dropFirst(6)) {
        tally.checksByChild += 1
        compare(found, of: writer)
      } else {
        fail("A child printed: \(line)")
      }
    }
  }

  /// Copies the file. A link to it would count as a change.
  private mutating func keepPropertyList() throws {
    let file = subject.file(in: folder)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    tally.files += 1
    let copy = plists.appending(path: "\(subject.rawValue)-\(lane)-\(tally.files).plist")
    try FileManager.default.copyItem(at: file, to: copy)
  }

  /// Opens the settings in this process. Returns whether their file was intact.
  private mutating func check() -> Bool {
    tally.checks += 1
    do {
      let outcome = try SettingsReader.read(subject, in: folder)
      if !outcome.isIntact { tally.damaged += 1 }
      for issue in outcome.issues { fail("Issue: \(issue)") }
      for writer in [0, 1] {
        compare(GrowingValues(writer: writer) { outcome.entries[$0] }, of: writer)
      }
      return outcome.isIntact
    } catch {
      tally.unopened += 1
      fail("The settings don't open: \(error)")
      return false
    }
  }

  /// Compares the values with the report. From now on they must survive, reported or not.
  private mutating func compare(_ found: GrowingValues, of writer: Int) {
    let reported = floors[writer] ?? 0
    let lost = found.lost(since: reported)
    tally.compared += min(reported, GrowingValues.keyCount)
    tally.lost += lost
    if !found.isPossible { tally.impossible += 1 }
    if lost > 0 || !found.isPossible {
      fail("Step \(reported) of writer \(writer) was reported, but found \(found.description)")
    }
    floors[writer] = found.last
  }

  private mutating func fail(_ sentence: String) {
    tally.failures.append("After kill \(tally.kills) of lane \(lane): \(sentence)")
  }
}
