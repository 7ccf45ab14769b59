import Foundation

/// Reads many damaged files and journals, and counts those that do harm.
///
/// Worker processes read them. A worker that dies has met a trap. A worker that needs more than a
/// second per MB, and at least two seconds, is killed as hanging. Each input depends only on its
/// seed and number.
enum MutationCampaign {
  /// The results of the inputs.
  struct Result: Sendable {
    /// A kind of harm: its count, and the number of the first input.
    struct Harm: Sendable {
      var count: UInt64 = 0
      var first: UInt64?
    }

    var inputs: UInt64 = 0
    var accepted: UInt64 = 0
    var traps = Harm()
    var hangs = Harm()
    /// Inputs that took more memory than 20 times their size plus 16 MiB.
    var memoryExcesses = Harm()

    var refused: UInt64 { inputs - accepted - traps.count - hangs.count }

    mutating func note(_ harm: WritableKeyPath<Self, Harm>, _ number: UInt64) {
      inputs += 1
      self[keyPath: harm].add(1, first: number)
    }

    mutating func add(_ progress: MutationProgress) {
      inputs += progress.inputs
      accepted += progress.accepted
      memoryExcesses.add(
        progress.excesses, first: progress.firstExcess > 0 ? progress.firstExcess - 1 : nil)
    }

    mutating func add(_ other: Self) {
      inputs += other.inputs
      accepted += other.accepted
      for harm in [\Self.traps, \.hangs, \.memoryExcesses] {
        self[keyPath: harm].add(other[keyPath: harm].count, first: other[keyPath: harm].first)
      }
    }

    /// A line for each kind of harm, with the arguments that repeat its first input.
    func harm(seed: UInt64) -> [String] {
      [("traps", traps), ("hangs", hangs), ("memory excesses", memoryExcesses)]
        .compactMap { name, harm in
          harm.first.map {
            "\(harm.count) \(name); the first: StressTests repeat mutate \(seed) \($0)"
          }
        }
    }
  }

  /// A worker ended before its first input.
  struct WorkerFailure: Error {
    var status: Int32
  }

  /// Reads the inputs from 0 to `count` of a seed, distributed over several processes.
  static func run(count: Int, seed: UInt64, workers: Int) throws -> Result {
    let (count, parts) = (UInt64(max(0, count)), UInt64(max(1, workers)))
    var active = try (0..<parts)
      .map { count * $0 / parts..<count * ($0 + 1) / parts }
      .filter { !$0.isEmpty }
      .map { try MutationWorker(seed: seed, numbers: $0) }
    var result = Result()
    while !active.isEmpty {
      usleep(10_000)
      for worker in active { try worker.check() }
      for worker in active where worker.isDone { result.add(worker.result) }
      active.removeAll { $0.isDone }
    }
    return result
  }

  /// Runs the commands `child mutate SEED FIRST COUNT FILE` and `repeat mutate SEED NUMBER`; false
  /// for other arguments.
  static func runCommand(_ arguments: [String]) throws -> Bool {
    let numbers = arguments.dropFirst(2).prefix(3).compactMap { UInt64($0) }
    switch (arguments.prefix(2), arguments.count, numbers.count) {
    case (["child", "mutate"], 6, 3):
      let file = open(arguments[5], O_RDWR)
      guard file >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
      MutationChild(seed: numbers[0]).run(numbers[1]..<numbers[1] + numbers[2], notingIn: file)
    case (["repeat", "mutate"], 4, 2):
      try repeatElsewhere(arguments)
    case (["repeat", "here"], 4, 2):
      MutationChild(seed: numbers[0]).repeat(numbers[1])
    default:
      return false
    }
    return true
  }

  /// Repeats an input in a process with the environment of a worker.
  private static func repeatElsewhere(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = ["repeat", "here"] + arguments.dropFirst(2)
    process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=yes"]) { $1 }
    try process.run()
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal {
      print("It died of signal \(process.terminationStatus).")
    }
  }

  /// This program.
  static let executable = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])

  /// Deterministic hashing, so that a number produces the same bytes in every process.
  static let environment = ProcessInfo.processInfo.environment
    .merging(ResidentMemory.environment) { $1 }
    .merging(["SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
}

extension MutationCampaign.Result.Harm {
  mutating func add(_ more: UInt64, first candidate: UInt64?) {
    count += more
    if let candidate { first = min(first ?? candidate, candidate) }
  }
}
