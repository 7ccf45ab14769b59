import Defaults
import DefaultsHistory
import Foundation
import FuzzInputs

/// A random history of two programs that set, undo and redo on one file, checked step by step
/// against a model.
///
/// Each set has a value of its own, so that an entry with a transaction's value was written by that
/// transaction. The programs take turns. Each sees the changes of the other one only when it
/// commits or refreshes.
struct UndoTry {
  /// The number of undos and redos that were made, and of those that were rejected.
  private(set) var reversals = 0
  private(set) var rejections = 0

  private typealias Entries = [String: PropertyListValue]
  private typealias Step = [String: Defaults.Change.Entry]

  /// What went wrong, and in which step.
  struct Failure: Error {
    let reason: String
    let steps: [String]
  }

  /// A program and what its stack should have.
  private final class Program {
    let name: String
    let suite: Defaults.StoredSuite
    let stack: Defaults.UndoStack
    var undo: [Step] = []
    var redo: [Step] = []

    init(_ name: String, on disk: SimulatedDisk) throws {
      self.name = name
      let (suite, start) = try FileStore.open(
        StoredFile(path: UndoTry.file, on: disk), isAutomatic: false, onIssue: { _ in })
      start()
      self.suite = suite
      stack = Defaults.UndoStack(suite, limit: UndoTry.limit) { $0.origin != "sync" }
    }
  }

  private static let file = "/settings/Defaults.plist"
  private static let names = ["a", "b", "c", "d"]
  private static let limit = 5

  private var random: SplitMix64
  private let disk = SimulatedDisk()
  private let programs: [Program]
  private var entries: Entries = [:]
  private var nextValue: Int64 = 0
  private var steps: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(state: seed)
    programs = try ["A", "B"].map { [disk] in try Program($0, on: disk) }
  }

  /// Makes some steps and checks each.
  mutating func run(_ count: Int) throws {
    for _ in 0..<count {
      let program = random.pick(programs)
      switch random.below(20) {
      case 0..<7: try set(by: program, origin: random.oneIn(5) ? "sync" : nil)
      case 7..<13: try reverse(program, isUndo: true)
      case 13..<16: try reverse(program, isUndo: false)
      case 16..<18: try check(program)
      case 18: try program.suite.flush(.snapshot)
      default:
        program.stack.removeAll()
        (program.undo, program.redo) = ([], [])
      }
      let stack = program.stack
      guard stack.canUndo == !program.undo.isEmpty, stack.canRedo == !program.redo.isEmpty else {
        throw failure("The stack of \(program.name) has other transactions")
      }
    }
    for program in programs { try check(program) }
    let third = try Program("C", on: SimulatedDisk(disk.image))
    guard third.suite.entries == entries else { throw failure("The file has other entries") }
  }

  private mutating func set(by program: Program, origin: String?) throws {
    let names = (0..<(1 + random.below(3))).map { _ in random.pick(Self.names) }
    var edits: [String: Defaults.Edit] = [:]
    for name in names {
      nextValue += 1
      edits[name] = random.oneIn(6) ? .remove : .set(.integer(nextValue))
    }
    steps.append("\(program.name) sets \(edits), \(origin ?? "no") mark")
    let body = { () throws in
      try program.suite.transaction { draft in
        for (name, edit) in edits {
          if let value = edit.entry {
            try draft.setEntry(value, named: name)
          } else {
            draft.removeEntry(named: name)
          }
        }
      }
    }
    if let origin { try Defaults.withOrigin(origin, body) } else { try body() }
    var step: Step = [:]
    for (name, edit) in edits where entries[name] != edit.entry {
      step[name] = .init(old: entries[name], new: edit.entry)
      entries[name] = edit.entry
    }
    guard !step.isEmpty, origin == nil else { return }
    program.redo = []
    program.undo = (program.undo + [step]).suffix(Self.limit)
  }

  private mutating func reverse(_ program: Program, isUndo: Bool) throws {
    let verb = isUndo ? "undoes" : "redoes"
    let step = isUndo ? program.undo.popLast() : program.redo.popLast()
    let isCurrent = step?.allSatisfy { entries[$0.key] == $0.value.new } ?? true
    steps.append("\(program.name) \(verb) \(step ?? [:])")
    var wasRejected = false
    do throws(Defaults.SuiteError) {
      if isUndo { try program.stack.undo() } else { try program.stack.redo() }
    } catch {
      guard error.code == .changedSince else { throw failure("\(error)") }
      wasRejected = true
    }
    guard wasRejected == !isCurrent else {
      throw failure(wasRejected ? "It was rejected without a reason" : "It reverted a later change")
    }
    guard let step else { return }
    if wasRejected {
      rejections += 1
      return
    }
    reversals += 1
    for (name, entry) in step { entries[name] = entry.old }
    let reversed = step.mapValues { Defaults.Change.Entry(old: $0.new, new: $0.old) }
    if isUndo { program.redo.append(reversed) } else { program.undo.append(reversed) }
  }

  /// Checks the entries that a program reads after a refresh.
  private func check(_ program: Program) throws {
    try program.suite.refresh()
    guard program.suite.entries == entries else {
      throw failure("\(program.name) reads \(program.suite.entries) in place of \(entries)")
    }
  }

  private func failure(_ reason: String) -> Failure { Failure(reason: reason, steps: steps) }
}
