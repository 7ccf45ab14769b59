import Defaults

/// An operation of a process, or of a text editor, on a setting.
struct SimulatedDeed: Sendable {
  let kind: HistoryOperation.Kind
  let process: Int
  let key: Int
  let new: Int
  let start: Int
  /// The time of its return; nil if it hasn't returned.
  var end: Int?
  var old = 0
  var second = 0
  /// Whether a transaction's body has read.
  var hasRead = false
  /// Whether it read after a refresh.
  var isFresh = false
  /// Whether it threw.
  var hasThrown = false
  /// Whether it wrote to the log.
  var hasRecord = false

  /// The process number of a text editor.
  static let editor = 1_000
}

/// All observations of one run.
struct SimulationRecord: Sendable {
  struct Observer: Hashable, Sendable {
    let process: Int
    let key: Int
  }

  /// An older property list that was moved back.
  struct Restoration: Sendable {
    let step: Int
    /// The values in the file, by setting.
    let values: [Int: Int]
    /// Those of the replaced file; nil if there was none.
    let replaced: [Int: Int]?
    /// Whether the log certainly knows both files, and no export is in progress.
    let isCertain: Bool
  }

  var deeds: [SimulatedDeed] = []
  var events: [Observer: [ObservedEvents.Event]] = [:]
  /// The times at which the events were handled.
  var eventSteps: [Observer: [Int]] = [:]
  /// Issues and errors that the schedule doesn't explain.
  var problems: [String] = []
  /// The settings whose waiting changes a process reported as dropped, and the times.
  var drops: [(process: Int, key: Int, step: Int)] = []
  /// The values that a text editor saved in its own setting, and whether each must take effect.
  var edits: [(value: Int, isCertain: Bool)] = []
  /// All values in the files that a text editor saved, and the times after the saves.
  var saves: [(step: Int, values: [Int: Int])] = []
  /// The property lists that were moved back.
  var restorations: [Restoration] = []
  /// The content of the property list when it was removed while no process exported.
  var deleted: [Int: Int] = [:]
}
