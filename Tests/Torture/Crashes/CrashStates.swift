import Defaults

/// What a crash left.
struct CrashState {
  /// After how many operations it came.
  let prefix: Int
  /// How many of them had returned.
  let returned: Int
  /// Whether only the processes died: all that was done is there.
  let isKill: Bool
  /// What became of the operations that weren't on the disk for certain, by their place in the log.
  let survivals: [Int: DiskOperation.Survival]
  let image: DiskImage
}

/// Goes through a log of operations, and builds at each point the states that a crash then leaves.
///
/// What was synced is there for certain: a sync of a file covers its content, size and attributes,
/// but no name of it; a sync of a folder covers the names in it, as they were at that time. Of
/// everything else, any part may be there, whatever the order it was done in. A rename is there or
/// not as a whole, and so is an exchange. Inode numbers and times are those that the surviving
/// operations gave.
struct CrashStates {
  private let log: [DiskOperation]
  private let limit: Int
  private let samples: Int
  private var random: SeededGenerator
  /// The state after the operations that are certain up to the first that isn't.
  private var base: DiskImage
  private var baseCount = 0
  /// Operations after the base; false if a crash can undo them.
  private var isCertain: [Bool] = []
  /// The operations that wait for a sync of a file or folder.
  private var waiting: [DiskImage.NodeID: [Int]] = [:]
  /// The changes of names in a folder whose sync failed. Another sync alone doesn't cover them; one
  /// after more changes does, since a folder is written as a whole.
  private var doubtful: [DiskImage.NodeID: [Int]] = [:]
  /// How many operations were done.
  private(set) var prefix = 0

  /// `limit`: up to how many combinations all are built; else, `samples` chosen at random are, and
  /// those in which one operation is missing, or the only one there, or the first one missing.
  init(
    from start: DiskImage, log: [DiskOperation], seed: UInt64, limit: Int = 1024,
    samples: Int = 256
  ) {
    base = start
    base.closeAll()
    self.log = log
    self.limit = limit
    self.samples = samples
    random = SeededGenerator(seed: seed)
  }

  /// Does the next operation; false if there is none.
  mutating func advance() -> Bool {
    guard prefix < log.count else { return false }
    let operation = log[prefix]
    isCertain.append(!operation.isChange)
    switch operation.kind {
    case .make(_, _, let place), .addName(_, let place), .removeName(_, let place):
      waiting[place.folder, default: []].append(prefix)
    case .move(_, let place, let newPlace):
      waiting[place.folder, default: []].append(prefix)
      if newPlace.folder != place.folder { waiting[newPlace.folder, default: []].append(prefix) }
    case .exchange(_, _, let place, let otherPlace):
      waiting[place.folder, default: []].append(prefix)
      if otherPlace.folder != place.folder {
        waiting[otherPlace.folder, default: []].append(prefix)
      }
    case .write(let node, _, _), .truncate(let node, _), .changeMode(let node, _),
      .setAttribute(let node, _, _), .setModified(let node, _):
      waiting[node, default: []].append(prefix)
    case .synchronize(let node): settle(node) { _ in true }
    case .synchronizeContent(let node):
      settle(node) {
        switch $0.kind {
        case .changeMode, .setAttribute, .setModified: false
        default: true
        }
      }
    case .failedSynchronize(let node):
      doubtful[node, default: []] += (waiting[node] ?? []).filter { log[$0].isChangeOfNames }
      waiting[node] = nil
    }
    prefix += 1
    while baseCount < prefix, isCertain[baseCount] {
      base.apply(log[baseCount])
      baseCount += 1
    }
    return true
  }

  /// One of the states that a power cut leaves now, chosen at random.
  mutating func sample() -> DiskImage {
    let pending = (baseCount..<prefix).filter { !isCertain[$0] }
    let likelihood = Int.random(in: 0...8, using: &random)
    var survivals: [Int: DiskOperation.Survival] = [:]
    for index in pending where Int.random(in: 0..<8, using: &random) >= likelihood {
      survivals[index] = damage(to: log[index], &random)
    }
    return state(pending, survivals).image
  }

  /// The states that a crash leaves now, equal ones among them; that of a kill comes first.
  mutating func forEach(_ body: (CrashState) throws -> Void) rethrows {
    let pending = (baseCount..<prefix).filter { !isCertain[$0] }
    try body(state(pending, [:], isKill: true))
    if let last = pending.last, last == prefix - 1, case .write(_, let bytes, _) = log[last].kind {
      try body(state(pending, [last: .short(bytes.count / 2)], returned: last, isKill: true))
    }
    let choices = pending.map { options(for: log[$0]) }
    var combinations = 1
    for options in choices where combinations <= limit { combinations *= options.count }
    guard combinations <= limit else { return try sample(pending, body) }
    for number in 0..<combinations {
      var rest = number
      var survivals: [Int: DiskOperation.Survival] = [:]
      for (index, options) in zip(pending, choices) {
        survivals[index] = options[rest % options.count]
        rest /= options.count
      }
      try body(state(pending, survivals))
    }
  }

  private func sample(
    _ pending: [Int], _ body: (CrashState) throws -> Void, _ random: inout SeededGenerator
  ) rethrows {
    for (number, index) in pending.enumerated() {
      let others = Dictionary(
        uniqueKeysWithValues: pending.map { ($0, DiskOperation.Survival.missing) })
      try body(state(pending, [index: .missing]))
      try body(state(pending, others.filter { $0.key != index }))
      try body(state(pending, others.filter { pending[number...].contains($0.key) }))
    }
    for _ in 0..<samples {
      let likelihood = Int.random(in: 1...7, using: &random)
      var survivals: [Int: DiskOperation.Survival] = [:]
      for index in pending where Int.random(in: 0..<8, using: &random) >= likelihood {
        survivals[index] = damage(to: log[index], &random)
      }
      try body(state(pending, survivals))
    }
  }

  private mutating func sample(
    _ pending: [Int], _ body: (CrashState) throws -> Void
  ) rethrows {
    var random = random
    defer { self.random = random }
    try sample(pending, body, &random)
  }

  private func state(
    _ pending: [Int], _ survivals: [Int: DiskOperation.Survival], returned: Int? = nil,
    isKill: Bool = false
  ) -> CrashState {
    var image = base
    for index in baseCount..<prefix { image.apply(log[index], survivals[index] ?? .whole) }
    image.clock = prefix == 0 ? base.clock : log[prefix - 1].time
    // A machine isn't up again within a tick of its clock.
    if !isKill { image.clock += 1_000_000_000 }
    return CrashState(
      prefix: prefix, returned: returned ?? prefix, isKill: isKill,
      survivals: Dictionary(uniqueKeysWithValues: pending.map { ($0, survivals[$0] ?? .whole) }),
      image: image)
  }

  private func options(for operation: DiskOperation) -> [DiskOperation.Survival] {
    guard case .write(_, let bytes, _) = operation.kind else { return [.whole, .missing] }
    return [.whole, .missing, .short(bytes.count / 2), .zeroed(0..<bytes.count)]
  }

  private func damage(
    to operation: DiskOperation, _ random: inout SeededGenerator
  ) -> DiskOperation.Survival {
    guard case .write(_, let bytes, _) = operation.kind else { return .missing }
    let start = Int.random(in: 0..<bytes.count, using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .missing
    case 1: .short(start)
    case 2: .zeroed(0..<start)
    case 3: .zeroed(start..<bytes.count)
    default: .zeroed(start..<Int.random(in: start...bytes.count, using: &random))
    }
  }

  /// Makes certain what waited for a sync and is covered by it.
  private mutating func settle(_ node: DiskImage.NodeID, _ isCovered: (DiskOperation) -> Bool) {
    guard let indices = waiting[node] else { return }
    waiting[node] = indices.filter { !isCovered(log[$0]) }
    let old = indices.isEmpty ? nil : doubtful.removeValue(forKey: node)
    for index in (old ?? []) + indices where isCovered(log[index]) {
      // A rename from one folder to another waits for both.
      isCertain[index] = !waiting.values.contains { $0.contains(index) }
    }
  }
}
