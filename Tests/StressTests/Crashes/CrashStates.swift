import Defaults

/// The state after a crash.
struct CrashState {
  /// The number of operations before the crash.
  let prefix: Int
  /// The number of returned operations.
  let returned: Int
  /// Whether only the processes died, so that all operations took effect.
  let isKill: Bool
  /// What survived of operations that weren't durable, by their index in the log.
  let survivals: [Int: DiskOperation.Survival]
  let image: DiskImage
}

/// Goes through a log of operations, and builds the states that a crash can leave at each point.
///
/// Synced operations are durable. A sync of a file covers its content, size and attributes, but
/// none of its names. A sync of a folder covers its names at that time. Of all other operations,
/// any subset may survive, regardless of their order. A rename or an exchange survives completely
/// or not at all. Inode numbers and times are those of the surviving operations.
struct CrashStates {
  private let log: [DiskOperation]
  private let limit: Int
  private let samples: Int
  private let stride: Int
  private var random: SeededGenerator
  /// The number of states after a power loss so far, including those that `stride` skips.
  private var number = 0
  /// The state after the leading durable operations.
  private var base: DiskImage
  private var baseCount = 0
  /// Whether each operation after the base is durable.
  private var isCertain: [Bool] = []
  /// The operations that wait for a sync of a file or folder.
  private var waiting: [DiskImage.NodeID: [Int]] = [:]
  /// The changes of names in a folder whose sync failed. The next sync alone doesn't cover them. A
  /// sync after further changes does, since a folder is written as a whole.
  private var doubtful: [DiskImage.NodeID: [Int]] = [:]
  /// The number of operations so far.
  private(set) var prefix = 0

  /// `limit` is the maximum number of combinations that are all built. Beyond it, `samples` random
  /// ones are built, and those in which one operation is missing, is the only one, or is the first
  /// missing one. Of these states after a power loss, only every `stride`-th is built.
  init(
    from start: DiskImage, log: [DiskOperation], seed: UInt64, limit: Int = 1024,
    samples: Int = 256, stride: Int = 1
  ) {
    base = start
    base.closeAll()
    self.log = log
    self.limit = limit
    self.samples = samples
    self.stride = stride
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

  /// A random state after a power loss at this point.
  mutating func sample() -> DiskImage {
    let pending = (baseCount..<prefix).filter { !isCertain[$0] }
    let likelihood = Int.random(in: 0...8, using: &random)
    var survivals: [Int: DiskOperation.Survival] = [:]
    for index in pending where Int.random(in: 0..<8, using: &random) >= likelihood {
      survivals[index] = Self.damage(to: log[index], &random)
    }
    return state(pending, survivals).image
  }

  /// The states after a crash at this point, with duplicates. The state of a kill comes first.
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
    for combination in 0..<combinations where isNext() {
      var rest = combination
      var survivals: [Int: DiskOperation.Survival] = [:]
      for (index, options) in zip(pending, choices) {
        survivals[index] = options[rest % options.count]
        rest /= options.count
      }
      try body(state(pending, survivals))
    }
  }

  private mutating func sample(
    _ pending: [Int], _ body: (CrashState) throws -> Void
  ) rethrows {
    let all = Dictionary(
      uniqueKeysWithValues: pending.map { ($0, DiskOperation.Survival.missing) })
    for index in pending {
      if isNext() { try body(state(pending, [index: .missing])) }
      if isNext() { try body(state(pending, all.filter { $0.key != index })) }
      // The operations are in the order of their indices.
      if isNext() { try body(state(pending, all.filter { $0.key >= index })) }
    }
    for _ in 0..<samples where isNext() {
      let likelihood = Int.random(in: 1...7, using: &random)
      var survivals: [Int: DiskOperation.Survival] = [:]
      for index in pending where Int.random(in: 0..<8, using: &random) >= likelihood {
        survivals[index] = Self.damage(to: log[index], &random)
      }
      try body(state(pending, survivals))
    }
  }

  /// Counts a state after a power loss. Returns whether it is built.
  private mutating func isNext() -> Bool {
    number += 1
    return number % stride == 0
  }

  private func state(
    _ pending: [Int], _ survivals: [Int: DiskOperation.Survival], returned: Int? = nil,
    isKill: Bool = false
  ) -> CrashState {
    var image = base
    for index in baseCount..<prefix { image.apply(log[index], survivals[index] ?? .whole) }
    image.clock = prefix == 0 ? base.clock : log[prefix - 1].time
    // The machine restarts later than one tick of its clock.
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

  private static func damage(
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

  /// Marks the operations covered by a sync as durable.
  private mutating func settle(_ node: DiskImage.NodeID, _ isCovered: (DiskOperation) -> Bool) {
    guard let indices = waiting[node] else { return }
    waiting[node] = indices.filter { !isCovered(log[$0]) }
    let old = indices.isEmpty ? nil : doubtful.removeValue(forKey: node)
    for index in (old ?? []) + indices where isCovered(log[index]) {
      // A rename between two folders waits for both.
      isCertain[index] = !waiting.values.contains { $0.contains(index) }
    }
  }
}
