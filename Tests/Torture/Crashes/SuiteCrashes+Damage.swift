import Defaults
import Foundation
import Mutation

/// Scenarios that begin with a file or journal that was damaged, or changed by somebody else.
extension SuiteCrashes {
  static var damagedFile: Scenario {
    Scenario(
      name: "a damaged file", subject: SuiteSubject(),
      prepare: {
        try image(after: [
          set("a", 1), flush(.snapshot), set("b", 1), flush(.snapshot), set("c", 1),
        ]) {
          try damage(SuiteSubject.file, at: 20, on: $0)
        }
      },
      start: ["a": 1, "b": 1, "c": 1], steps: afterwards)
  }

  /// A record in the middle that was on the disk already: the disk is to blame, and what comes
  /// after it counts.
  static var damagedRecord: Scenario {
    Scenario(
      name: "a damaged record", subject: SuiteSubject(),
      prepare: {
        var offset = 0
        return try image(after: [
          set("a", 1), flush(),
          Step(name: "look", run: { offset = try $0.disk.endOfRecords() }),
          set("b", 1), flush(), set("c", 1), flush(),
        ]) {
          try damage(SuiteSubject.journal, at: offset + 10, on: $0)
        }
      },
      start: ["a": 1, "c": 1], steps: afterwards)
  }

  static var tornRecord: Scenario {
    Scenario(
      name: "a torn record", subject: SuiteSubject(),
      prepare: {
        try image(after: [set("a", 1), flush(.snapshot), set("b", 1), set("c", 1)]) { disk in
          let size = try disk.endOfRecords()
          try disk.open(SuiteSubject.journal, .update).truncate(to: size - 3)
        }
      },
      start: ["a": 1, "b": 1], steps: afterwards)
  }

  static var damagedHeader: Scenario {
    Scenario(
      name: "a damaged header", subject: SuiteSubject(),
      prepare: {
        try image(after: [set("a", 1), flush(.snapshot), set("b", 1)]) {
          try damage(SuiteSubject.journal, at: 12, on: $0)
        }
      },
      start: ["a": 1], steps: afterwards)
  }

  /// Somebody edits the file while no program runs, with changes in the journal.
  static var editAtRest: Scenario {
    Scenario(
      name: "an edit at rest", subject: SuiteSubject(),
      prepare: {
        try image(after: [setAll(["a": 1, "b": 1]), flush(.snapshot), set("a", 2), set("b", 2)]) {
          try $0.removeName(SuiteSubject.file)
          try write(["a": 5, "b": 1, "c": 5], to: SuiteSubject.file, on: $0)
        }
      },
      // Theirs, and the journal where they changed nothing.
      start: ["a": 5, "b": 2, "c": 5], steps: afterwards)
  }

  /// What is done then, by a process and another one.
  private static var afterwards: [Step] {
    [
      set("d", 1), flush(), set("a", 2, by: 1), flush(.snapshot), set("d", 2, by: 1), flush(by: 1),
    ]
  }

  /// The disk after these steps and the death of their processes.
  private static func image(
    after steps: [Step], _ body: (SimulatedDisk) throws -> Void
  ) throws -> DiskImage {
    let disk = SimulatedDisk()
    let stage = CrashStage(disk: disk, subject: SuiteSubject(), start: [:])
    for step in steps { try stage.perform(step) }
    let dead = SimulatedDisk(disk.image)
    try body(dead)
    // What the processes do at their end is done to the other disk.
    return withExtendedLifetime(stage) { dead.image }
  }

  private static func damage(
    _ path: String, at offset: Int, on disk: SimulatedDisk
  ) throws {
    let file = try disk.open(path, .update)
    var byte: UInt8 = 0
    _ = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: offset) }
    byte = ~byte
    _ = try withUnsafeBytes(of: byte) { try file.write($0, at: offset) }
  }
}

extension SimulatedDisk {
  /// Where the records of the journal end, and its empty room begins.
  func endOfRecords() throws -> Int {
    let journal = try open(SuiteSubject.journal, .read)
    var bytes = [UInt8](repeating: 0, count: try journal.status().version.size)
    _ = try bytes.withUnsafeMutableBytes { try journal.read(into: $0, at: 0) }
    return JournalImage.records(in: bytes).last?.upperBound ?? JournalImage.headerSize
  }
}
