import Foundation
import Harness
import Synchronization

/// Causes every fault at every system call of a scenario, with and without a second process.
struct CallCampaign: Campaign {
  let name = "calls"
  let scratch: Scratch

  /// The number of parallel tries, more than cores, since a delayed one waits.
  private static let lanes = 4
  /// More calls than any scenario has.
  private static let end = 2_000

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let python = Python()
    return try [false, true].map { hasCompany in
      let plists = try scratch.newFolder("plists")
      defer { scratch.remove(plists) }
      var tallies: [CallTally] = []
      for fault in CallFault.allCases where fault != .stop {
        // Without a second process, a delay has no effect.
        if fault == .delay, !hasCompany { continue }
        let tries = scale.factor < 1 ? scale.count(200, atLeast: 12) : nil
        tallies.append(try all(fault, hasCompany, tries, seed, plists))
      }
      return row(tallies, hasCompany, try python?.unreadable(in: plists))
    }
  }

  /// Tries a fault at each call, or at a number of chosen ones.
  private func all(
    _ fault: CallFault, _ hasCompany: Bool, _ tries: Int?, _ seed: UInt64, _ plists: URL
  ) throws -> CallTally {
    let numbers = try tries.map { count in
      // Counts the calls of a scenario without a fault.
      let harmless = fault.isOfWrites ? CallFault.shortWrite : .delay
      let plain = CallTry(fault: harmless, number: Self.end, hasCompany: hasCompany)
      let copy = plists.appending(path: "\(fault)-\(hasCompany)-plain.plist")
      let length = try plain.run(in: scratch, keeping: copy).calls ?? 100
      var random = SeededGenerator(seed: seed, lane: fault.rawValue * 2 + (hasCompany ? 1 : 0))
      // Distributes the tries over all calls, so that each part of the scenario has some.
      return (0..<count).map { part in
        let (start, end) = (part * length / count + 1, (part + 1) * length / count)
        return Int.random(in: start...max(start, end), using: &random)
      }
    }
    let tally = Mutex(CallTally(fault: fault))
    DispatchQueue.concurrentPerform(iterations: Self.lanes) { _ in
      while let number = tally.withLock({ $0.next(of: numbers, before: Self.end) }) {
        let attempt = CallTry(fault: fault, number: number, hasCompany: hasCompany)
        // A call may be chosen more than once.
        let copy = plists.appending(path: "\(UUID().uuidString).plist")
        let outcome = Result { try attempt.run(in: scratch, keeping: copy) }
        tally.withLock { $0.add(outcome, of: attempt) }
      }
    }
    return tally.withLock { $0 }
  }

  private func row(_ tallies: [CallTally], _ hasCompany: Bool, _ unreadable: [String]?) -> Row {
    let faults = tallies.map { "\($0.happened.grouped) \($0.fault.name)" }
    let half = (faults.count + 1) / 2
    return Row(
      name: name,
      what: "each system call" + (hasCompany ? ", with a second process" : ""),
      times: tallies.reduce(0) { $0 + $1.tries }, lost: tallies.reduce(0) { $0 + $1.lost },
      figures: [
        faults.prefix(half).joined(separator: ", "),
        faults.dropFirst(half).joined(separator: ", "),
        unreadable.map { "\($0.count) plists not read by plistlib" }
          ?? "no python3, plistlib not used",
      ],
      failures: tallies.flatMap(\.failures)
        + (unreadable ?? []).map { "plistlib doesn't read \($0)" })
  }
}

/// The result of one fault at all calls.
private struct CallTally {
  let fault: CallFault
  var tries = 0
  /// The tries in which the fault happened.
  var happened = 0
  var lost = 0
  var failures: [String] = []
  private var nextNumber = 0
  /// The last call at which it happened.
  private var last = 0

  init(fault: CallFault) { self.fault = fault }

  /// The call for the next try. Without chosen calls, all calls until the scenario has no more.
  mutating func next(of numbers: [Int]?, before end: Int) -> Int? {
    defer { nextNumber += 1 }
    if let numbers { return nextNumber < numbers.count ? numbers[nextNumber] : nil }
    let number = nextNumber + 1
    return number < end && number <= last + 8 ? number : nil
  }

  mutating func add(_ outcome: Result<CallTry.Outcome, any Error>, of attempt: CallTry) {
    tries += 1
    switch outcome {
    case .success(let outcome):
      if outcome.happened {
        happened += 1
        last = max(last, attempt.number)
      }
      lost += outcome.lost
      failures += outcome.problems
    case .failure(let error):
      failures.append("\(attempt): \(error)")
    }
  }
}
