import Foundation
import Harness
import Synchronization

/// Stops a process at every system call of a scenario, while another one does everything.
struct StopCampaign: Campaign {
  let name = "stops"
  let scratch: Scratch

  /// The number of parallel tries, which mostly wait for a lock that isn't released.
  private static let lanes = 16
  /// More calls than any scenario has.
  private static let end = 2_000

  private struct Tally {
    var queue: [StopTry]
    var tries = 0
    var refused = 0
    var announced = 0
    var lost = 0
    var failures: [String] = []
    /// The first call that wasn't reached.
    var end = StopCampaign.end
  }

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let tally = Mutex(Tally(queue: try tries(scale, seed).reversed()))
    DispatchQueue.concurrentPerform(iterations: Self.lanes) { _ in
      while let attempt = tally.withLock({ $0.queue.popLast() }) {
        if tally.withLock({ attempt.number >= $0.end }) { continue }
        let outcome = Result { try attempt.run(in: scratch) }
        tally.withLock { tally in
          switch outcome {
          case .success(let outcome):
            guard outcome.happened else {
              tally.end = min(tally.end, attempt.number)
              return
            }
            tally.tries += 1
            tally.refused += outcome.refused
            tally.announced += outcome.announced
            tally.lost += outcome.lost
            tally.failures += outcome.problems
          case .failure(let error): tally.failures.append("\(attempt): \(error)")
          }
        }
      }
    }
    let total = tally.withLock { $0 }
    return [
      Row(
        name: name, what: "one stopped at a system call, another works, then continued or killed",
        times: total.tries, lost: total.lost,
        figures: [
          "\(total.refused.grouped) steps rejected without the lock",
          "\(total.announced.grouped) entries lost that their process reported at exit",
        ], failures: total.failures)
    ]
  }

  /// A try at each call, or at some calls. Consecutive calls alternate between the four ways to
  /// continue, since each try takes seconds. Another seed shifts the ways.
  private func tries(_ scale: Scale, _ seed: UInt64) throws -> [StopTry] {
    func attempt(_ number: Int) -> StopTry {
      let way = (UInt64(number) &+ seed) % 4
      return StopTry(number: number, isKilled: way & 1 == 0, endsBeside: way & 2 == 0)
    }
    guard scale.factor < 1 else { return (1..<Self.end).map(attempt) }
    let plain = CallTry(fault: .delay, number: Self.end, hasCompany: false)
    let copy = try scratch.newFolder("plain").appending(path: "plain.plist")
    let length = try plain.run(in: scratch, keeping: copy).calls ?? 100
    var random = SeededGenerator(seed: seed)
    return (0..<scale.count(300, atLeast: 20)).map { _ in
      attempt(Int.random(in: 1...length, using: &random))
    }
  }
}
