import Defaults
import DefaultsText
import Foundation

/// The shared state of one run.
final class SimulationContext: @unchecked Sendable {
  // Unchecked, because only the thread that has the turn accesses it; see `SimulationScheduler`.

  let schedule: SimulationSchedule
  let scheduler: SimulationScheduler
  let disk: SimulatedDisk
  var processes: [SimulatedProcess] = []
  /// The text editor, and the source of the events.
  var others: [SimulatedProcess] = []
  var record = SimulationRecord()
  /// Whether the power was lost.
  var isPowerless = false
  /// Whether calls no longer fail.
  var areFaultsOver = false
  /// A copy of the log.
  var copy: [UInt8]?
  private var lastValue = 0
  /// The start of the schedule on the machine's clock.
  private let start: Int
  /// The current deeds, by thread.
  private var deeds: [Int: Int] = [:]

  init(
    _ schedule: SimulationSchedule, _ scheduler: SimulationScheduler, disk: SimulatedDisk,
    start: Int = 100_000_000
  ) {
    self.start = start
    self.schedule = schedule
    self.scheduler = scheduler
    self.disk = disk
  }

  // MARK: - Clocks

  /// The microseconds of a step.
  private static let length = 50

  /// The machine's clock, in microseconds since the creation of the disk.
  private var time: Int { start + scheduler.step * Self.length }

  /// The wall clock of a process.
  func time(of process: SimulatedProcess) -> UInt64 {
    UInt64(1_800_000_000_000_000 + time + process.clockOffset)
  }

  func setClock(of disk: SimulatedDisk) {
    let time = time * 1_000
    disk.advanceClock(to: schedule.hasCoarseClock ? time / 4_000_000 * 4_000_000 : time)
  }

  // MARK: - Faults

  /// The numbers of calls, by kind.
  private(set) var calls: [SimulatedCall: Int] = [:]

  func count(_ call: SimulatedCall) { calls[call, default: 0] += 1 }

  /// The error of a failing call; nil if it succeeds.
  func fault(in call: SimulatedCall, of process: SimulatedProcess) -> POSIXErrorCode? {
    if schedule.faults.isEmpty || areFaultsOver { return nil }
    process.calls[call, default: 0] += 1
    guard let code = fault(process, call)?.code else { return nil }
    return POSIXErrorCode(rawValue: code)
  }

  /// Whether the current write of a process is short.
  func isShort(in process: SimulatedProcess) -> Bool {
    fault(process, .write).map { $0.code == nil } ?? false
  }

  private func fault(
    _ process: SimulatedProcess, _ call: SimulatedCall
  ) -> SimulationSchedule.Fault? {
    if areFaultsOver { return nil }
    let number = process.calls[call] ?? 0
    return schedule.faults.first {
      $0.process == process.number && $0.call == call && number >= $0.number
        && number < $0.number + $0.count
    }
  }

  // MARK: - Deeds

  /// A new unique value.
  func newValue() -> Int {
    lastValue += 1
    return lastValue
  }

  /// Records the start of a deed, and returns its number.
  func begin(
    _ kind: HistoryOperation.Kind, by process: Int, key: Int = 0, new: Int = 0
  ) -> Int {
    record.deeds.append(
      SimulatedDeed(kind: kind, process: process, key: key, new: new, start: scheduler.step))
    if let thread = scheduler.current { deeds[thread.number] = record.deeds.count - 1 }
    return record.deeds.count - 1
  }

  func end(_ deed: Int, throwing: Bool = false) {
    record.deeds[deed].end = scheduler.step
    record.deeds[deed].hasThrown = throwing
    if let thread = scheduler.current { deeds[thread.number] = nil }
    // The next deed begins later than the end of this one.
    scheduler.step("ends")
  }

  /// Records that the current thread's deed wrote to the log.
  func noteRecord() {
    guard let thread = scheduler.current, let deed = deeds[thread.number] else { return }
    record.deeds[deed].hasRecord = true
  }

  /// The values in the property list, by setting, if no process exports or was killed meanwhile.
  var quietContent: [Int: Int] {
    isQuiet ? values(in: disk.image.bytes(of: SuiteSubject.file)) : [:]
  }

  /// Whether no process exports, or was killed when it did.
  var isQuiet: Bool {
    let isBusy = record.deeds.contains { $0.kind == .flush && $0.end == nil }
    let hasFailed = record.deeds.contains { $0.kind == .flush && $0.hasThrown }
    let isClosing = schedule.processes.contains(where: \.closes)
    return !isBusy && !hasFailed && !isClosing && schedule.faults.isEmpty
  }

  /// The values in a settings file, by setting.
  func values(in bytes: [UInt8]?) -> [Int: Int] {
    guard let bytes, let entries = try? entries(in: Data(bytes)) else { return [:] }
    var values: [Int: Int] = [:]
    for key in SimulatedSettings.all {
      let value = SimulatedSettings.value(of: key) { entries[$0] }.value
      if value != 0 { values[key] = value }
    }
    return values
  }

  private func entries(in data: Data) throws -> [String: Defaults.PropertyListValue] {
    // A deleted or damaged file of text may have been written as a property list before.
    schedule.isText
      ? try Defaults.JSONCDocument.entries(in: data)
      : try Defaults.PropertyListFormat.decode(data).entries
  }

  func addProblem(_ text: String) { record.problems.append(text) }
}
