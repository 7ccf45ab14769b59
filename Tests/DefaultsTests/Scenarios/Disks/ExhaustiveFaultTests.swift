import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Faults of each file system call", .tags(.slow))
struct ExhaustiveFaultTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  /// How the n-th call of a scenario fails.
  enum Fault: CaseIterable {
    case noSpaceOnce, noSpaceFromThenOn, errorOnce, errorFromThenOn

    var code: POSIXErrorCode {
      switch self {
      case .noSpaceOnce, .noSpaceFromThenOn: .ENOSPC
      case .errorOnce, .errorFromThenOn: .EIO
      }
    }

    func concerns(_ call: FaultyFileSystem.Call, from number: Int) -> Bool {
      switch self {
      case .noSpaceOnce: call.number == number
      case .noSpaceFromThenOn: call.number >= number && call.operation.takesRoom
      case .errorOnce: call.number == number
      case .errorFromThenOn: call.number >= number
      }
    }
  }

  @Test(
    "After a fault of any call, memory is current, no setting is lost, and all is stored later",
    arguments: Fault.allCases)
  func everyCall(fault: Fault) throws {
    // Without a fault, each step is checked. With a fault, the steps before it are the same.
    try #require(try !run(fault, at: Self.never))
    var number = 1
    while try run(fault, at: number) {
      number += 1
      try #require(number < 1_000)
    }
    #expect(number > 100)
  }

  /// A call that the scenario never makes.
  private static let never = 1_000_000

  /// Runs the scenario with a fault at a call; returns whether that call was made.
  private func run(_ fault: Fault, at number: Int) throws -> Bool {
    let name = "\(number)"
    try settings.folder.makeFolder(name)
    defer { try? settings.remove(name) }
    let path = settings.folder[name] + "/suite.plist"
    let process = try OpenSuite(path)
    let start = process.disk.count
    let course = Course(process, path: path, comment: "\(fault) at call \(number)") {
      number == Self.never || process.disk.count - start >= number
    }
    process.disk.fail(with: fault.code) { fault.concerns($0, from: start + number) }
    try course.run()
    let wasReached = process.disk.count - start >= number
    process.disk.heal()
    try course.finish()
    process.kill()
    return wasReached
  }
}

/// A scenario, and the conditions that must hold after each of its steps.
private final class Course {
  private let process: OpenSuite
  private let path: String
  private let comment: String
  private let isChecked: () -> Bool
  /// All states so far, the newest last.
  private var states: [[String: Defaults.PropertyListValue]] = [[:]]
  /// The index of the current state when a flush returned or a change raised no issue: the disk has
  /// this state or a newer one.
  private var stored = 0

  /// The disk is checked after the steps for which `isChecked` returns true.
  init(
    _ process: OpenSuite, path: String, comment: String, isChecked: @escaping () -> Bool
  ) {
    (self.process, self.path, self.comment) = (process, path, comment)
    self.isChecked = isChecked
  }

  func run() throws {
    try change { $0["a"] = 1 }
    try flush(.durable)
    try change { $0["b"] = "text" }
    try flush(.snapshot)
    try change { $0["a"] = 2 }
    try change { ($0["c"], $0["d"]) = (1, [1, 2]) }
    try flush(.snapshot)
    try change { $0["b"] = nil }
    try flush(.durable)
    try change { $0["a"] = 3 }
  }

  /// After the failure has ended.
  func finish() throws {
    try process.flush(.snapshot)
    #expect(process.health == .intact, "\(comment)")
    #expect(process.entries == states.last, "\(comment)")
    #expect(try found() == states.last, "\(comment)")
    let file = try Data(contentsOf: URL(filePath: path))
    #expect(
      try Defaults.PropertyListFormat.decode(file).entries == states.last, "\(comment)")
    let known: Set = ["suite.plist", "suite.plist.journal"]
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(names).subtracting(known) == [], "\(comment)")
  }

  private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

  private func change(
    _ body: (inout [String: Defaults.PropertyListValue]) -> Void
  ) throws {
    let old = states[states.count - 1]
    var new = old
    body(&new)
    states.append(new)
    process.suite.write { draft in
      for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
        draft.write(Defaults.Edit(entry: new[name]), named: name)
      }
    }
    #expect(process.entries == new, "\(comment)")
    if process.health == .intact { stored = states.count - 1 }
    try checkDisk()
  }

  private func flush(_ extent: Defaults.FlushExtent) throws {
    do {
      try process.flush(extent)
      stored = states.count - 1
    } catch let error as Defaults.SuiteError {
      #expect([.unwritable, .unreadable].contains(error.code), "\(comment)")
      #expect(error.path?.hasPrefix(folder) == true, "\(comment): \(error)")
    }
    #expect(process.entries == states.last, "\(comment)")
    try checkDisk()
  }

  private func checkDisk() throws {
    guard isChecked() else { return }
    let found = try found()
    #expect(states[stored...].contains(found), "\(comment): \(found) is older than the last flush")
  }

  /// The entries that another process reads without changing anything.
  private func found() throws -> [String: Defaults.PropertyListValue] {
    let reader = try OpenSuite(path)
    defer { reader.kill() }
    #expect(reader.health == .intact, "\(comment)")
    #expect(reader.issues.count == 0, "\(comment)")
    return reader.entries
  }
}
