import Defaults
import Foundation
import FuzzInputs

/// Scenarios that begin with a file or journal that is damaged or was changed by another program.
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

  /// A durable record in the middle. The disk is to blame, and later records are valid.
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

  /// A text editor changes the file while no program runs and the journal has changes.
  static var editAtRest: Scenario {
    Scenario(
      name: "an edit at rest", subject: SuiteSubject(),
      prepare: {
        try image(after: [setAll(["a": 1, "b": 1]), flush(.snapshot), set("a", 2), set("b", 2)]) {
          try $0.removeName(SuiteSubject.file)
          try write(["a": 5, "b": 1, "c": 5], to: SuiteSubject.file, on: $0)
        }
      },
      // The editor's values, and the journal's where the editor changed nothing.
      start: ["a": 5, "b": 2, "c": 5], steps: afterwards)
  }

  /// The next steps of a process and another one.
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
    // Work at exit is done on the other disk.
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
  /// The end of the journal's records, where unused space begins.
  func endOfRecords() throws -> Int {
    let journal = try open(SuiteSubject.journal, .read)
    var bytes = [UInt8](repeating: 0, count: try journal.status().version.size)
    _ = try bytes.withUnsafeMutableBytes { try journal.read(into: $0, at: 0) }
    return JournalImage.records(in: bytes).last?.upperBound ?? JournalImage.headerSize
  }
}
