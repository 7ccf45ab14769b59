import Defaults
import Foundation
import FuzzInputs

extension SimulationSchedule {
  /// The schedule of a seed, for a property list or a file of JSON with comments.
  init(seed: UInt64, omitting rule: EngineRule? = nil, isText: Bool = false) {
    var random = SplitMix64(state: seed)
    self.init(seed: seed, isText: isText, omitted: rule)
    reusesNumbers = !random.oneIn(4)
    hasCoarseClock = random.oneIn(4)
    isImpatient = random.oneIn(3)
    start = random.pick([.nothing, .propertyList, .log, .log, .log, .log, .longLog])
    let losesLog = random.oneIn(8)
    let losesPower = !losesLog && random.oneIn(5)
    addProcesses(isAlone: losesLog, mustFlush: losesPower, &random)
    if random.oneIn(3), !losesLog { addEdits(&random) }
    if losesLog {
      addLosses(&random)
    } else {
      if random.oneIn(4) { addKills(&random) }
      if random.oneIn(5) { addStops(&random) }
      if random.oneIn(3) { addClocks(&random) }
      if random.oneIn(8) { addFaults(&random) }
      if losesPower { addPowerCut(&random) }
    }
    // Decided by another generator, so that all other schedules stay as they are.
    var others = SplitMix64(state: ~seed)
    if losesPower, others.oneIn(3) { raceWithExport(&others) }
    if !losesLog, !losesPower, others.oneIn(8) { raceWithClocks(&others) }
    // No process ends, since the changes of a lost log are known only to the processes. All have
    // the same clock, since versions are compared with the file's modification time.
    if losesLog {
      if others.oneIn(2) { addEdits(&others) }
      if others.oneIn(4) { addStop(of: others.below(processes.count), &others) }
      // A failed sync replaces the log; see `addLosses`.
      if others.oneIn(8), !events.contains(where: { $0.event == .deleteLog }) {
        addFaults(&others)
      }
      if let first = events.first(where: { $0.event == .deleteLog }), others.oneIn(2) {
        for _ in 0...others.below(3) { add(.deleteNextLog, from: first.step + 1, &others) }
      }
    }
    var restorer = SplitMix64(state: seed &* 7_919)
    if !losesLog, !losesPower, restorer.oneIn(8) { addRestoration(&restorer) }
    events.sort { $0.step < $1.step }
    // After a power loss, the text editor must handle files that it wrote in place or moved away.
    if losesPower {
      for index in edits.indices where [.inPlace, .moveAway].contains(edits[index].saving) {
        edits[index].saving = .rename
      }
    }
  }

  private mutating func addProcesses(
    isAlone: Bool, mustFlush: Bool, _ random: inout SplitMix64
  ) {
    let isLarge = start == .longLog
    for number in 0..<random.pick([2, 2, 3, 3, 4]) {
      let threads = (0..<random.pick([1, 1, 2])).map { _ in
        (0..<(1 + random.below(6))).map { _ in
          mustFlush && random.oneIn(2)
            ? random.pick([.set(2), .set(3), .flush, .flush, .export])
            : Self.operation(isLarge: isLarge, &random)
        }
      }
      processes.append(Process(threads: threads, closes: !isAlone && random.oneIn(5)))
      if !isAlone, number > 1, random.oneIn(2) { processes[number].predecessor = number - 2 }
    }
  }

  private static func operation(isLarge: Bool, _ random: inout SplitMix64) -> Operation {
    let mixed = random.pick(SimulatedSettings.mixed)
    if isLarge, random.oneIn(3) { return .set(SimulatedSettings.large) }
    return switch random.below(24) {
    case 0..<4: .swap(SimulatedSettings.chain)
    case 4..<7: .swap(SimulatedSettings.pair)
    case 7: .swap(mixed)
    case 8..<13: .set(mixed)
    case 13: .remove(mixed)
    case 14..<17: .read(random.below(SimulatedSettings.all.count))
    case 17..<19: .refresh
    case 19..<21: .flush
    default: .export
    }
  }

  private mutating func add(_ event: Event, from first: Int = 0, _ random: inout SplitMix64) {
    events.append(
      TimedEvent(event: event, step: first + random.below(random.pick([100, 400, 900]))))
  }

  private mutating func addEdits(_ random: inout SplitMix64) {
    for _ in 0...random.below(3) {
      let saving: Saving = random.pick([.rename, .rename, .rename, .inPlace, .moveAway, .delete])
      edits.append(
        Edit(
          saving: saving, isMixed: random.oneIn(3),
          step: random.below(random.pick([100, 400, 900])))
      )
    }
    edits.sort { $0.step < $1.step }
  }

  /// A person keeps the property list, and later moves it back.
  private mutating func addRestoration(_ random: inout SplitMix64) {
    for _ in 0...random.below(2) {
      let start = random.below(random.pick([100, 400]))
      edits.append(
        Edit(
          saving: random.pick([.setAside, .link, .copy, .moveAway]), isMixed: random.oneIn(3),
          step: start))
      let end = start + 1 + random.below(random.pick([100, 400]))
      edits.append(
        Edit(
          saving: random.pick([.moveBack, .copyBack]), isMixed: random.oneIn(2), step: end))
    }
    edits.sort { $0.step < $1.step }
  }

  private mutating func addKills(_ random: inout SplitMix64) {
    for _ in 0...random.below(2) { add(.kill(random.below(processes.count)), &random) }
  }

  private mutating func addStops(_ random: inout SplitMix64) {
    let process = random.below(processes.count)
    if random.oneIn(3) { return add(.stopForGood(process), &random) }
    addStop(of: process, &random)
  }

  private mutating func addStop(of process: Int, _ random: inout SplitMix64) {
    add(.stop(process), &random)
    add(.resume(process), from: events.last?.step ?? 0, &random)
  }

  private mutating func addPowerCut(_ random: inout SplitMix64) {
    add(.powerCut, &random)
    guard random.oneIn(2) else { return }
    events[events.count - 1].call = random.pick([.exchange, .exchange, .addName, .sync, .write])
  }

  /// Has one process export while another one sets and flushes, and cuts the power after a rename.
  /// Random operations meet in this way only once in tens of thousands of schedules.
  private mutating func raceWithExport(_ random: inout SplitMix64) {
    let setting = random.pick([2, 3])
    processes = [
      Process(threads: [[.set(setting), .export, .set(setting), .export, .set(setting), .export]]),
      Process(threads: [(0..<(2 + random.below(4))).flatMap { _ in [.set(setting), .flush] }]),
    ]
    edits = []
    faults = []
    events = [
      TimedEvent(event: .powerCut, step: random.below(random.pick([100, 400])), call: .exchange)
    ]
    editsAfterPowerLoss = random.oneIn(2)
  }

  private mutating func addClocks(_ random: inout SplitMix64) {
    if random.oneIn(2) { isImpatient = true }
    for index in processes.indices where random.oneIn(2) {
      processes[index].clockOffset = Self.offset(&random)
    }
    if random.oneIn(2) {
      add(.setClock(random.below(processes.count), by: Self.offset(&random)), &random)
    }
  }

  /// Several clocks, and sets of one setting that wait for the lock: the order of their versions
  /// must be the order in which the processes saw them.
  private mutating func raceWithClocks(_ random: inout SplitMix64) {
    isImpatient = true
    for index in processes.indices {
      processes[index].clockOffset = Self.offset(&random)
      for thread in processes[index].threads.indices {
        processes[index].threads[thread] = (0..<3 + random.below(3)).map { _ in .set(2) }
      }
    }
  }

  private static func offset(_ random: inout SplitMix64) -> Int {
    random.pick([-86_400_000_000, -1_000_000, -5_000, 5_000, 1_000_000, 86_400_000_000])
  }

  private mutating func addFaults(_ random: inout SplitMix64) {
    for _ in 0...random.below(2) {
      let call = random.pick(SimulatedCall.faulty)
      let isShort = call == .write && random.oneIn(2)
      faults.append(
        Fault(
          process: random.below(processes.count), call: call, number: 1 + random.below(12),
          count: random.pick([1, 1, 2, 30]), code: isShort ? nil : random.pick([EIO, ENOSPC])))
    }
  }

  private mutating func addLosses(_ random: inout SplitMix64) {
    // A process can't know the content of a log that another one created and that was deleted
    // before it was opened. The long log is replaced.
    if start != .longLog { start = .log }
    switch random.below(4) {
    case 0 where start == .log, 1 where start == .log: add(.deleteLog, &random)
    case 2: add(.cutLog(random.below(100)), &random)
    default:
      add(.copyLog, &random)
      add(.restoreLog, from: events.last?.step ?? 0, &random)
    }
  }
}
