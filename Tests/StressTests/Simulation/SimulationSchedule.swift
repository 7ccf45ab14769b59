import Defaults

/// The content of one run of the simulation, except the order of the steps, which the seed decides.
struct SimulationSchedule: Sendable {
  /// An operation of a thread.
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
    /// The number of the process that must have ended before this one begins.
    var predecessor: Int?
    /// Whether it releases its suite when its threads have ended.
    var closes = false
    var clockOffset = 0
  }

  /// The way in which a text editor saves.
  enum Saving: Sendable, Hashable {
    /// It renames a new file.
    case rename
    /// It overwrites the file.
    case inPlace
    /// It first moves the old file away.
    case moveAway
    /// It removes the file without saving.
    case delete
    /// It keeps the file under another name: moved, as another hard link, or as a copy with the
    /// same time.
    case setAside, link, copy
    /// It moves the kept file back, or the old one of `moveAway`; or a copy of it.
    case moveBack, copyBack
  }

  struct Edit: Sendable, Hashable {
    var saving: Saving
    /// Whether it changes a setting that processes change, too.
    var isMixed: Bool
    /// The first step at which it happens.
    var step: Int
  }

  /// An event that affects processes, clocks or files.
  enum Event: Sendable, Hashable {
    case stop(Int)
    case stopForGood(Int)
    case resume(Int)
    case kill(Int)
    case setClock(Int, by: Int)
    case deleteLog
    /// Deletes the log again, once each process has opened it.
    case deleteNextLog
    /// Truncates the log to a percentage of its records.
    case cutLog(Int)
    case copyLog
    case restoreLog
    case powerCut
  }

  struct TimedEvent: Sendable, Hashable {
    var event: Event
    /// The first step at which it happens.
    var step: Int
    /// The call after which it happens, counted from that step.
    var call: SimulatedCall?
  }

  /// A call that fails or is short.
  struct Fault: Sendable, Hashable {
    var process: Int
    var call: SimulatedCall
    /// The number of the process's call of this kind, from 1.
    var number: Int
    /// The number of consecutive calls that fail.
    var count: Int
    /// The error; nil for a short write.
    var code: Int32?
  }

  /// The initial content of the disk.
  enum Start: Int, Sendable, CaseIterable {
    case nothing, propertyList, log, longLog
  }

  var seed: UInt64
  var start = Start.log
  var processes: [Process] = []
  var edits: [Edit] = []
  var events: [TimedEvent] = []
  var faults: [Fault] = []
  /// Whether a process stops waiting for a lock at times.
  var isImpatient = false
  var reusesNumbers = true
  var hasCoarseClock = false
  /// Whether a text editor changes the file after a power loss, before any process opens it.
  var editsAfterPowerLoss = false
  /// Whether the file is JSON with comments instead of a property list.
  var isText = false
  /// The omitted rule of the engine.
  var omitted: EngineRule?

  /// Whether older bytes replace those of the log, so that there is no single order.
  var isRewound: Bool {
    events.contains {
      switch $0.event {
      case .cutLog, .restoreLog: true
      default: false
      }
    }
  }

  var hasLogAtStart: Bool { start == .log || start == .longLog }

  var cutsLog: Bool {
    events.contains { if case .cutLog = $0.event { true } else { false } }
  }

  /// Whether an older property list is moved back, so that old values come back.
  var restoresFile: Bool { edits.contains { [.moveBack, .copyBack].contains($0.saving) } }
  /// Whether old values come back, so that there is no single order.
  var bringsBack: Bool { isRewound || restoresFile }
  var losesLog: Bool { isRewound || events.contains { $0.event == .deleteLog } }
  var losesPower: Bool { events.contains { $0.event == .powerCut } }
}
