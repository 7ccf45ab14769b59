import Foundation

/// The parent's side of a worker. It has a share of the inputs, and starts a new process when one
/// dies or hangs.
final class MutationWorker {
  private let seed: UInt64
  private var remaining: Range<UInt64>
  private let file: Int32
  private let path: String
  private var process: Process?
  /// The input at the last check, plus one, and the time since when it is being read.
  private var current: UInt64 = 0
  private var since = ContinuousClock.now
  /// The input at which the last process was killed, plus one. Only a second time counts as a hang,
  /// since the whole machine may have stopped.
  private var suspect: UInt64 = 0
  private(set) var result = MutationCampaign.Result()

  init(seed: UInt64, numbers: Range<UInt64>) throws {
    self.seed = seed
    remaining = numbers
    path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    file = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
    guard file >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    try start()
  }

  deinit {
    // A worker also notices by itself when this process dies.
    if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(file)
    unlink(path)
  }

  /// Whether all inputs were read.
  var isDone: Bool { process == nil }

  /// Checks the process.
  func check() throws {
    guard let process else { return }
    if !process.isRunning {
      try finish(MutationProgress.load(from: file), process)
      return
    }
    let progress = MutationProgress.load(from: file)
    let now = ContinuousClock.now
    if progress.current != current {
      (current, since) = (progress.current, now)
    } else if current > 0, now - since > Self.patience(size: progress.size) {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try finish(MutationProgress.load(from: file), process, wasKilled: true)
    }
  }

  /// One second per MB, and at least two.
  private static func patience(size: UInt64) -> Duration {
    max(.seconds(2), .milliseconds(size / 1_000))
  }

  private func start() throws {
    ftruncate(file, 0)
    (current, since) = (0, .now)
    let process = Process()
    process.executableURL = MutationCampaign.executable
    process.arguments =
      ["child", "mutate", "\(seed)", "\(remaining.lowerBound)", "\(remaining.count)", path]
    process.environment = MutationCampaign.environment
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Adds the progress of an ended process, and starts another one for the remaining inputs.
  private func finish(
    _ progress: MutationProgress, _ process: Process, wasKilled: Bool = false
  ) throws {
    result.add(progress)
    self.process = nil
    guard progress.current > 0 else {
      let isDone = progress.inputs == UInt64(remaining.count)
      guard isDone else { throw MutationCampaign.WorkerFailure(status: process.terminationStatus) }
      return
    }
    let number = progress.current - 1
    var next = number + 1
    if !wasKilled {
      result.note(\.traps, number)
    } else if suspect == progress.current {
      result.note(\.hangs, number)
    } else {
      suspect = progress.current
      next = number
    }
    remaining = next..<remaining.upperBound
    if !remaining.isEmpty { try start() }
  }
}
