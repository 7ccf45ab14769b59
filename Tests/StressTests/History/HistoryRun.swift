import Defaults
import Foundation
import Harness

/// One round of the history campaign: several processes, perhaps a nemesis, and the result.
struct HistoryRun {
  /// The deeds of the nemesis; empty without one.
  let deeds: [HistoryNemesis.Deed]
  /// Whether each process has changing layers around the suite.
  var hasLayers = false
  /// The number of operations of each thread.
  let count: Int
  let seed: UInt64

  static let processes = 4
  static let threads = 3

  struct Outcome {
    var operations = 0
    var events = 0
    var refusals = 0
    var seconds = 0.0
    var deeds: [HistoryNemesis.Deed: Int] = [:]
    /// The reported issues, by code.
    var issues: [String: Int] = [:]
    var violations: [HistoryViolation] = []
    var problems: [String] = []
  }

  /// Throws EPERM if it needs a disk that can't be mounted.
  func run(in scratch: Scratch) throws -> Outcome {
    let folder = try scratch.newFolder("history")
    defer { scratch.remove(folder) }
    let settings = folder.appending(path: "settings", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: false)
    let disk = deeds.contains(.fill) ? try MemoryDisk(at: settings.path, size: "4m") : nil
    defer { disk?.unmount() }
    let file = Subject.defaults.file(in: settings)
    try begin(file)
    let children = try (0..<Self.processes).map { process in
      try Child(
        ChildCommand.arguments(
          "history", .defaults, folder, process, Self.threads, count,
          Int(seed % 1_000_000),
          deeds.contains(.stop) ? LockPatience.short : LockPatience.long,
          hasLayers ? 1 : 0),
        environment: Subject.environment(for: folder), patience: 600)
    }
    var outcome = Outcome()
    for child in children { try hear("ready", of: child, &outcome) }
    let start = MonotonicTime.now
    for child in children { child.send("g") }
    let nemesis = try beset(children, file, &outcome)
    outcome.seconds = MonotonicTime.seconds(since: start)
    for word in ["stored", "written"] {
      for child in children { child.send("g") }
      for child in children { try hear(word, of: child, &outcome) }
    }
    for child in children {
      for line in try child.output.rest() { note(line, &outcome) }
      if child.wait() != .exited(0) { outcome.problems.append("a process ended: \(child.wait())") }
    }
    outcome.deeds = nemesis.done
    outcome.problems += nemesis.problems
    try judge(file, folder, nemesis.theme, &outcome)
    return outcome
  }

  /// Creates a journal that all processes find when they begin. If a journal is deleted before a
  /// process has seen it, that process can't restore its content.
  private func begin(_ file: URL) throws {
    let suite = try Defaults.PropertyListSuite(url: file)
    suite[Defaults.Key<Bool>("hasBegun", default: false, suite: suite)] = true
    try suite.flush()
  }

  /// Runs the nemesis until all children are done.
  private func beset(
    _ children: [Child], _ file: URL, _ outcome: inout Outcome
  ) throws -> HistoryNemesis {
    let thread = NemesisThread(
      HistoryNemesis(deeds, at: file, against: children.map(\.id), seed: seed))
    let result = Result { for child in children { try hear("done", of: child, &outcome) } }
    let nemesis = thread.finish()
    try result.get()
    return nemesis
  }

  /// Reads the output of a child until a word.
  private func hear(_ word: String, of child: Child, _ outcome: inout Outcome) throws {
    while let line = try child.output.next() {
      if line == word { return }
      note(line, &outcome)
    }
    throw HarnessError("a process ended before it was \(word): \(child.wait())")
  }

  /// Counts an issue or an error.
  private func note(_ line: String, _ outcome: inout Outcome) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "!" || words[0] == "threw" else {
      outcome.problems.append("a process printed: \(line)")
      return
    }
    let code = String(words[1])
    outcome.issues[code, default: 0] += 1
    if !acceptable.contains(code) { outcome.problems.append("\(words[0]) \(code): \(words[2])") }
  }

  /// The codes of problems that the nemesis may cause.
  private var acceptable: Set<String> {
    deeds.reduce(into: []) { codes, deed in
      switch deed {
      // A set that waited for the lock may be dropped, if another set is newer.
      case .stop: codes.formUnion(["locked", "unwritable"])
      case .fill: codes.insert("unwritable")
      // A file copied during a write is torn.
      case .restore:
        codes.formUnion(["unwritable", "unreadable", "malformed", "quarantined"])
      case .delete, .rename, .edit: break
      }
    }
  }

  /// Whether sets may wait in memory.
  private var setsMayWait: Bool {
    deeds.contains { $0 == .stop || $0 == .fill || $0 == .restore }
  }

  private func judge(
    _ file: URL, _ folder: URL, _ theme: Int64, _ outcome: inout Outcome
  ) throws {
    var history = History(setsMayWait: setsMayWait, isRewound: deeds.contains(.restore))
    for process in 0..<Self.processes {
      let record = try HistoryRecord(contentsOf: Self.record(of: process, in: folder))
      history.operations += record.operations
      history.observers += record.observers
      history.views.append(record.view)
    }
    let found = try SettingsReader.read(.defaults, in: file.deletingLastPathComponent())
    if !found.isIntact { outcome.problems.append("the health isn't intact") }
    outcome.problems += found.issues.map { "an issue afterwards: \($0)" }
    for number in HistorySettings.all {
      let (value, second) = HistorySettings.values(of: number) { found.entries[$0] }
      if value != 0 { history.stored[number] = value }
      if value != second { outcome.problems.append("a torn pair is stored") }
    }
    let stored = found.entries[HistorySettings.theme] ?? .integer(0)
    if deeds.contains(.edit), stored != .integer(theme) {
      outcome.problems.append("the editor wrote \(theme) last, and \(stored) is stored")
    }
    outcome.operations = history.operations.count
    outcome.events = history.observers.reduce(0) { $0 + $1.events.count }
    outcome.refusals = history.operations.count { $0.kind == .refusal }
    outcome.violations = HistoryChecker.violations(in: history)
  }

  static func record(of process: Int, in folder: URL) -> URL {
    folder.appending(path: "history-\(process)")
  }
}
