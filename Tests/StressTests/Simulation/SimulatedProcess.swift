import Defaults
import Foundation

/// A process of a simulation: an engine with its memory, and its open files.
final class SimulatedProcess: @unchecked Sendable {
  // Unchecked, because only the thread that has the turn accesses it; see `SimulationScheduler`.

  enum Phase {
    case running
    case stopped
    case dead
  }

  let number: Int
  let disk: SimulatedDisk
  private(set) var phase = Phase.running
  /// The difference of its wall clock to the machine's, in microseconds.
  var clockOffset = 0
  /// Whether a stopped process stays stopped when no other one can run.
  var isStoppedForGood = false
  var suite: Defaults.StoredSuite?
  var observations: [any Defaults.Observation] = []
  /// Whether its suite is open, or failed to open.
  var hasBegun = false
  /// The number of its ended threads.
  var endedThreads = 0
  /// Whether it released its suite in order.
  var isClosed = false
  /// The numbers of its calls, by kind.
  var calls: [SimulatedCall: Int] = [:]
  /// The number of its random numbers.
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

  /// Ends the process: closes its files, and makes its further calls ineffective.
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

  func file(_ number: Int) throws(Errno) -> SimulatedFile {
    guard let file = files[number] else { throw Errno(.EIO) }
    return file
  }

  /// Returns whether it has the file with this inode number open.
  func hasOpen(_ inode: UInt64) -> Bool {
    files.values.contains { (try? $0.status().version.inode) == inode }
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

  /// The calls that may fail in a schedule.
  static let faulty: [Self] = [
    .write, .write, .write, .sync, .sync, .read, .create, .exchange, .move, .truncate, .addName,
    .status, .open, .remove,
  ]
}
