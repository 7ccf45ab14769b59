import Foundation

/// Filling empty settings of Foundation one key at a time, in a process that does nothing else:
/// what is unsaved under other names would be saved, too.
struct FoundationFilling {
  let name: String
  let size: Int

  /// What is done after each set.
  enum Habit: String {
    case synchronizing
    case reading
    /// Nothing; it is saved once, at the end.
    case setting
  }

  private static let blockCount = 10
  private static let sampleSize = 4

  /// Whether only some of the keys are timed: with something after each set, a set takes in
  /// proportion to the entries, which makes minutes.
  static func isSampled(_ size: Int) -> Bool { size > blockCount * sampleSize }

  /// How many nanoseconds it takes.
  func measure(_ habit: String) throws -> Int {
    guard let habit = Habit(rawValue: habit) else { throw BenchmarkError("No habit \(habit)") }
    let warmUp = try FoundationSettings("warm").userDefaults
    warmUp.set(1, forKey: "one")
    warmUp.synchronize()
    let peer = try FoundationSettings(name).userDefaults
    let names = (0..<size).map(Entries.name)
    func afterEach() {
      switch habit {
      case .synchronizing: peer.synchronize()
      case .reading: use(peer.integer(forKey: names[0]))
      case .setting: break
      }
    }
    if habit != .setting, Self.isSampled(size) { return timeSome(names, peer, afterEach) }
    return time {
      for (index, name) in names.enumerated() {
        peer.set(index, forKey: name)
        afterEach()
      }
      if habit == .setting { peer.synchronize() }
    }
  }

  /// Times some keys in the middle of each tenth, which stand for all of it; the others are only
  /// set.
  private func timeSome(_ names: [String], _ peer: UserDefaults, _ afterEach: () -> Void) -> Int {
    let blockSize = names.count / Self.blockCount
    let sample = blockSize / 2..<blockSize / 2 + Self.sampleSize
    var total = 0
    for (index, name) in names.enumerated() {
      let offset = index % blockSize
      // What was only set doesn't count into the sample.
      if offset == sample.lowerBound { afterEach() }
      let length = time {
        peer.set(index, forKey: name)
        if sample.contains(offset) { afterEach() }
      }
      if sample.contains(offset) { total += length * blockSize / Self.sampleSize }
    }
    return total
  }
}
