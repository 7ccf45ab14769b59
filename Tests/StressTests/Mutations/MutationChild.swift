import Foundation
import FuzzInputs

/// Reads the inputs of the campaign in a process that may end at any of them.
struct MutationChild: ~Copyable {
  /// The memory that an input may take beyond 20 times its size, for what Foundation and the
  /// bridges allocate once.
  static let constantMemory = 16 << 20

  private let seed: UInt64
  private let seeds = MutationSeeds()
  private let memory = ResidentMemory()

  init(seed: UInt64) {
    self.seed = seed
    // Allocates on first use, so that no input is blamed for it.
    for input in seeds.small { input.read() }
    ResidentMemory.limitReservations(to: 512 << 20)
  }

  /// Reads inputs, and records the progress in `file`.
  func run(_ numbers: Range<UInt64>, notingIn file: Int32) {
    let parent = getppid()
    var progress = MutationProgress()
    for number in numbers {
      let input = Mutation.input(number: number, of: seed, from: seeds)
      progress.current = number + 1
      progress.size = UInt64(input.bytes.count)
      progress.store(in: file)
      let (isAccepted, isExcess) = read(input, number)
      progress.inputs += 1
      if isAccepted { progress.accepted += 1 }
      if isExcess {
        progress.excesses += 1
        if progress.firstExcess == 0 { progress.firstExcess = number + 1 }
      }
      // The parent has ended.
      if number.isMultiple(of: 1_024), getppid() != parent { return }
    }
    progress.current = 0
    progress.store(in: file)
  }

  /// Reads one input again, and prints the result. A trap or a hang happens as before.
  func `repeat`(_ number: UInt64) {
    let input = Mutation.input(number: number, of: seed, from: seeds)
    print("Input \(number) of seed \(seed): \(input.kind), \(input.bytes.count) bytes")
    if input.bytes.count <= 8_192 { print(Data(input.bytes).base64EncodedString()) }
    fflush(nil)
    var outcome = (result: false, growth: 0)
    let time = ContinuousClock().measure { outcome = grow(input, number) }
    print(outcome.result ? "It was read" : "It was rejected", "in \(time).")
    print("Memory: \(outcome.growth) bytes, of \(Self.allowance(for: input)) allowed.")
  }

  private func read(_ input: HostileInput, _ number: UInt64) -> (Bool, isExcess: Bool) {
    let (isAccepted, growth) = grow(input, number)
    return (isAccepted, growth > Self.allowance(for: input))
  }

  private func grow(_ input: HostileInput, _ number: UInt64) -> (result: Bool, growth: Int) {
    memory.growth { input.read(turn: Int(number % 1_000)) }
  }

  private static func allowance(for input: HostileInput) -> Int {
    constantMemory + 20 * input.bytes.count
  }
}
