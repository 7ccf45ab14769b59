import Defaults

/// What happens in one run of the simulation, but for the order of the steps, which the seed decides.
struct SimulationSchedule: Sendable {
  /// Something that a thread of a process does.
  enum Operation: Sendable, Hashable {
    case set(Int)
    case remove(Int)
    case swap(Int)
    case read(Int)
    case refresh
    case flush
    case export
  }

  struct Process: Sendable, Hashable {
    var threads: [[Operation]]
    /// Its process of this number has ended, or was killed, before it begins.
    var predecessor: Int?
    /// Whether it releases its suite when its threads have ended.
    var closes = false
    var clockOffset = 0
  }

  /// How a text editor saves.
  enum Saving: Sendable, Hashable {
    /// It renames a new file.
    case rename
    /// It overwrites the file.
    case inPlace
    /// It moves the old file away first.
    case moveAway
    /// It removes the file, which is no save.
    case delete
  }

  struct Edit: Sendable, Hashable {
    var saving: Saving
    /// Whether it changes a setting that processes change, too.
    var isMixed: Bool
    /// The step from which on it happens.
    var step: Int
  }

  /// Something that happens to processes, clocks and files.
  enum Event: Sendable, Hashable {
    case stop(Int)
    case stopForGood(Int)
    case resume(Int)
    case kill(Int)
    case setClock(Int, by: Int)
    case deleteLog
    /// So many percent of the log stay.
    case cutLog(Int)
    case copyLog
    case restoreLog
    case powerCut
  }

  struct TimedEvent: Sendable, Hashable {
    var event: Event
    /// The step from which on it happens.
    var step: Int
    /// The call right after which it happens, counted from that step on.
    var call: SimulatedCall?
  }

  /// A call that fails, or does less than it was asked for.
  struct Fault: Sendable, Hashable {
    var process: Int
    var call: SimulatedCall
    /// Which of the process's calls of this kind, counted from 1.
    var number: Int
    /// How many calls in a row fail.
    var count: Int
    /// The error; nil for a short write.
    var code: Int32?
  }

  /// What is on the disk at first.
  enum Start: Int, Sendable, CaseIterable {
    case nothing, propertyList, log, longLog
  }

  var seed: UInt64
  var start = Start.log
  var processes: [Process] = []
  var edits: [Edit] = []
  var events: [TimedEvent] = []
  var faults: [Fault] = []
  /// Whether a process stops waiting for a lock now and then.
  var isImpatient = false
  var reusesNumbers = true
  var hasCoarseClock = false
  /// The rule of the engine that is left out.
  var omitted: EngineRule?

  /// Whether older bytes take the place of the log's, so that there is no one order.
  var isRewound: Bool {
    events.contains {
      switch $0.event {
      case .cutLog, .restoreLog: true
      default: false
      }
    }
  }

  var cutsLog: Bool {
    events.contains { if case .cutLog = $0.event { true } else { false } }
  }

  var losesLog: Bool { isRewound || events.contains { $0.event == .deleteLog } }
  var losesPower: Bool { events.contains { $0.event == .powerCut } }
}
