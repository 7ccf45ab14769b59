import Defaults

/// Something that a process, or a text editor, did to a setting.
struct SimulatedDeed: Sendable {
  let kind: HistoryOperation.Kind
  let process: Int
  let key: Int
  let new: Int
  let start: Int
  /// When it had returned; nil if it hadn't.
  var end: Int?
  var old = 0
  var second = 0
  /// Whether a transaction's body has read.
  var hasRead = false
  /// Whether it threw.
  var hasThrown = false
  /// Whether it wrote to the log.
  var hasRecord = false

  /// The number of a text editor, among those of processes.
  static let editor = 1_000
}

/// Everything that was seen in one run.
struct SimulationRecord: Sendable {
  struct Observer: Hashable, Sendable {
    let process: Int
    let key: Int
  }

  var deeds: [SimulatedDeed] = []
  var events: [Observer: [ObservedEvents.Event]] = [:]
  /// When each of the events was handled.
  var eventSteps: [Observer: [Int]] = [:]
  /// Issues and errors that the schedule doesn't explain.
  var problems: [String] = []
  /// The settings whose waiting change a process reported as dropped, and when.
  var drops: [(process: Int, key: Int, step: Int)] = []
  /// The values that a text editor saved last in its own setting, and whether each must count.
  var edits: [(value: Int, isCertain: Bool)] = []
  /// What the property list had when it was removed while no process exported.
  var deleted: [Int: Int] = [:]
}
