import Foundation

/// The parent's side of one worker: it has a share of the inputs, and gets a new process when the
/// one it has dies or hangs.
final class MutationWorker {
  private let seed: UInt64
  private var remaining: Range<UInt64>
  private let file: Int32
  private let path: String
  private var process: Process?
  /// The input that was being read when this was last looked at, plus one, and since when.
  private var current: UInt64 = 0
  private var since = ContinuousClock.now
  /// The input at which the last process was killed, plus one: only a second time is it a hang,
  /// for the machine may have stood still.
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
    // Its worker notices that by itself too, when this process dies.
    if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(file)
    unlink(path)
  }

  /// Whether all inputs were read.
  var isDone: Bool { process == nil }

  /// Looks after the process.
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

  /// Takes in what a process did that has ended, and begins another one for what is left.
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
