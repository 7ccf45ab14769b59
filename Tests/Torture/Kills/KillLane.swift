import Foundation
import Harness

/// Kills one child after the other, and checks each time what is left.
///
/// The same file serves for many kills, so that what is recovered is what a recovery left. After
/// some kills the next child is the first to open it.
struct KillLane {
  let subject: Subject
  let scratch: Scratch
  /// Where it leaves a copy of every property list that it saw.
  let plists: URL
  let lane: Int
  let kills: Int
  private var random: SeededGenerator
  private var folder: URL
  /// The last step of each writer that was reported or seen.
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
      // `UserDefaults` takes half a second to find that it can't read a file.
      guard isLast || subject == .userDefaults && !isSound else { continue }
      scratch.remove(folder)
      floors = [:]
      folder = try scratch.newFolder("kills")
    }
    scratch.remove(folder)
    return tally
  }

  /// Starts one child, or two at the same file, and kills each at an instant of its own.
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

  /// Takes the report of a killed child.
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
        fail("A child said: \(line)")
      }
    }
  }

  /// Copies the file; a link to it would count as a change of it.
  private mutating func keepPropertyList() throws {
    let file = subject.file(in: folder)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    tally.files += 1
    let copy = plists.appending(path: "\(subject.rawValue)-\(lane)-\(tally.files).plist")
    try FileManager.default.copyItem(at: file, to: copy)
  }

  /// Opens the settings in this process; returns whether their file was sound.
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

  /// Compares what is there with what was reported. From now on it must stay, reported or not.
  private mutating func compare(_ found: GrowingValues, of writer: Int) {
    let floor = floors[writer] ?? 0
    let lost = found.lost(since: floor)
    tally.compared += min(floor, GrowingValues.keyCount)
    tally.lost += lost
    if !found.isPossible { tally.impossible += 1 }
    if lost > 0 || !found.isPossible {
      fail("Step \(floor) of writer \(writer) was reported, found is \(found.description)")
    }
    floors[writer] = found.last
  }

  private mutating func fail(_ sentence: String) {
    tally.failures.append("After kill \(tally.kills) of lane \(lane): \(sentence)")
  }
}
