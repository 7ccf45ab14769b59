import Defaults
import DefaultsSync
import Foundation
import FuzzInputs

/// A random run of a device on a simulated disk and another one, which is then interrupted at each
/// operation of the disk, by a kill or by a power loss.
struct SyncCrashRun {
  /// A change by a person, in the order of time.
  struct Change {
    let name: String
    let edit: Defaults.Edit
    let isRemote: Bool
    /// The numbers of disk operations between which it was made.
    let begin: Int
    var end = Int.max
    /// The number of operations after which it survives a power loss.
    var durable = Int.max
  }

  /// The other device, and the changes so far, before a number of operations.
  private struct Mark {
    let begin: Int
    let remote: SyncRemote
  }

  private static func keys(of suite: Defaults.StoredSuite) -> [String: SyncedKey] {
    Dictionary(
      uniqueKeysWithValues: SyncRemote.resolutions.map { name, resolution in
        (name, SyncedKey(Defaults.Key<Int?>(name, suite: suite), resolution))
      })
  }

  private(set) var violations: [String] = []
  private(set) var states = 0
  private let seed: UInt64
  private var random: SplitMix64
  private var changes: [Change] = []
  private var marks: [Mark] = []
  private var remote = SyncRemote()

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(state: seed)
  }

  /// A running program on the disk.
  private struct Program {
    let suite: Defaults.StoredSuite
    var engine: SyncEngine
    let folder: SharedFolder

    init(on disk: SimulatedDisk) throws {
      let file = try StoredFile(path: "/settings/Defaults.plist", on: disk)
      let (suite, start) = try FileStore.open(file, isAutomatic: false, onIssue: { _ in })
      start()
      self.suite = suite
      let keys = SyncCrashRun.keys(of: suite)
      folder = try SharedFolder("/shared", suite: "app", on: disk)
      engine = SyncEngine(
        SyncEngine.Setup(
          suite: suite, keys: { keys }, transport: folder, file: file, machine: "this",
          deviceName: "this", now: { machineFileSystem.now },
          randomNumber: { machineFileSystem.randomNumber() }))
    }

    mutating func pass() throws -> SyncEngine.Report {
      let report = try engine.pass()
      if let obstacle = report.obstacle { throw obstacle }
      return report
    }
  }

  /// Plays the run and tries its crashes.
  mutating func run(steps: Int, samples: Int) throws {
    let empty = SimulatedDisk()
    for folder in ["/settings", "/shared"] { try empty.makeFolder(folder, mode: 0o700) }
    let start = empty.image
    let disk = SimulatedDisk(start)
    var program = try Program(on: disk)
    for step in 0..<steps { try play(step, on: disk, &program) }
    marks.append(Mark(begin: .max, remote: remote))
    var states = CrashStates(
      from: start, log: disk.log, seed: seed, limit: 4, samples: samples)
    var known: Set<Int> = []
    repeat {
      states.forEach { state in
        guard violations.isEmpty, known.insert(state.image.fingerprint).inserted else { return }
        do {
          try recover(from: state)
        } catch {
          violations.append("seed \(seed), operation \(state.prefix): \(error)")
        }
      }
    } while states.advance()
  }

  private mutating func play(
    _ step: Int, on disk: SimulatedDisk, _ program: inout Program
  ) throws {
    let isRemote = random.oneIn(2)
    let begin = disk.log.count
    if step == 0 || random.oneIn(2) {
      let name = random.pick(["a", "b", "c"])
      let current =
        isRemote
        ? remote.suite[name]?.edit : Defaults.Edit(entry: program.suite.entry(named: name))
      let local = isRemote ? remote.local : program.engine.local
      // A change back to the value of the last sync counts as no change, also a removal before the
      // first sync.
      let synced = local?.state.value(of: name, .latest) ?? .remove
      let isRemovable = current != .remove && synced != .remove
      let edit: Defaults.Edit =
        isRemovable && random.oneIn(3) ? .remove : .set(.integer(Int64(step + 1)))
      changes.append(Change(name: name, edit: edit, isRemote: isRemote, begin: begin))
      if isRemote { remote.set(name, edit) } else { program.suite.write(edit, named: name) }
      changes[changes.count - 1].end = disk.log.count
    } else if isRemote {
      _ = try remote.pass(through: program.folder)
    } else {
      _ = try program.pass()
      for index in changes.indices where changes[index].durable == .max {
        changes[index].durable = disk.log.count
      }
    }
    marks.append(Mark(begin: begin, remote: remote))
  }

  /// Starts the program again after a crash, and lets both devices sync until they rest.
  private mutating func recover(from state: CrashState) throws {
    states += 1
    let disk = SimulatedDisk(state.image)
    // The other device has done everything that began before the crash.
    var remote = marks.last { $0.begin < state.prefix }?.remote ?? SyncRemote()
    var program = try Program(on: disk)
    var isQuiet = false
    var rounds = 0
    while !isQuiet {
      rounds += 1
      guard rounds <= 12 else { throw Problem("the devices never come to rest") }
      let report = try program.pass()
      guard report.problems.isEmpty else { throw Problem("\(report.problems)") }
      isQuiet =
        try !remote.pass(through: program.folder)
        && report.applied.isEmpty && !report.hasPublished
    }
    for name in SyncRemote.resolutions.keys {
      let value = Defaults.Edit(entry: program.suite.entry(named: name))
      guard remote.suite[name]?.edit == value else {
        throw Problem("\(name) is \(value) here and \(remote.suite[name]?.edit ?? .remove) there")
      }
      let possible = acceptable(name, after: state)
      guard possible.contains(value) else {
        throw Problem("\(name) is \(value), not one of \(possible)")
      }
    }
  }

  /// Returns the values that a setting may have: that of the newest change that survives for
  /// certain, or of a later one.
  private func acceptable(_ name: String, after state: CrashState) -> [Defaults.Edit] {
    let begun = changes.filter { $0.name == name && $0.begin < state.prefix }
    let certain = begun.lastIndex { change in
      change.isRemote || (state.isKill ? change.end : change.durable) <= state.returned
    }
    return (certain == nil ? [.remove] : []) + begun[(certain ?? 0)...].map(\.edit)
  }

  private struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
