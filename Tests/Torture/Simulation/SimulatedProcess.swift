import Defaults
import Foundation

/// A process of a simulation: an engine with its memory, and the files that it has open.
final class SimulatedProcess: @unchecked Sendable {
  // Sendable although unchecked: only the thread that has its turn reaches it; see
  // `SimulationScheduler`.

  enum Phase {
    case running
    case stopped
    case dead
  }

  let number: Int
  let disk: SimulatedDisk
  private(set) var phase = Phase.running
  /// How far its wall clock is ahead of the machine's, in microseconds.
  var clockOffset = 0
  /// Whether a stopped process is resumed when no other one can go on.
  var isStoppedForGood = false
  var suite: Defaults.StoredSuite?
  var observations: [any Defaults.Observation] = []
  /// Whether its suite is open, or couldn't be opened.
  var hasBegun = false
  /// How many of its threads have ended.
  var endedThreads = 0
  /// Whether it released its suite in order.
  var isClosed = false
  /// How many calls of each kind it made.
  var calls: [SimulatedCall: Int] = [:]
  /// How many random numbers it took.
  var randomNumbers = 0
  /// The journals that it has locked, by opening.
  var locks: Set<Int> = []
  private var files: [Int: SimulatedFile] = [:]
  private var lastFile = 0

  init(_ number: Int, disk: SimulatedDisk) {
    self.number = number
    self.disk = disk
  }

  var isRunning: Bool { phase == .running }
  var isDead: Bool { phase == .dead }
  /// Whether it holds the lock of a journal.
  var hasLock: Bool { !locks.isEmpty }

  func stop(forGood: Bool) {
    guard isRunning else { return }
    (phase, isStoppedForGood) = (.stopped, forGood)
  }

  func resume() { if phase == .stopped { phase = .running } }

  /// Ends the process: its files are closed, and its calls change nothing from now on.
  func kill() {
    phase = .dead
    locks = []
    files = [:]
  }

  func open(_ file: SimulatedFile) -> Int {
    lastFile += 1
    files[lastFile] = file
    return lastFile
  }

  func file(_ number: Int) throws(POSIXError) -> SimulatedFile {
    guard let file = files[number] else { throw POSIXError(.EIO) }
    return file
  }

  func close(_ number: Int) {
    files[number] = nil
    locks.remove(number)
  }
}

/// A call of the file system.
enum SimulatedCall: String, Sendable, CaseIterable {
  case status, access, link, names, folder, mode, move, exchange, addName, remove, open, create
  case read, write, truncate, sync, lock, unlock

  /// The calls that a schedule may let fail.
  static let faulty: [Self] = [
    .write, .write, .write, .sync, .sync, .read, .create, .exchange, .move, .truncate, .addName,
    .status, .open, .remove,
  ]
}
