import Foundation
import Harness

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

    func follow(_ userDefaults: UserDefaults) {
      switch self {
      case .synchronizing: userDefaults.synchronize()
      case .reading: use(userDefaults.integer(forKey: Entries.name(0)))
      case .setting: break
      }
    }
  }

  private static let blockCount = 10
  private static let sampleSize = 4

  /// Whether only some of the keys are timed if each is saved: that takes in proportion to the
  /// entries, which makes minutes.
  static func isSampled(_ size: Int) -> Bool { size > blockCount * sampleSize }

  /// How many nanoseconds it takes.
  func measure(_ habit: String) throws -> Int {
    guard let habit = Habit(rawValue: habit) else { throw HarnessError("No habit \(habit)") }
    let warmUp = try FoundationSettings("warm").userDefaults
    warmUp.set(1, forKey: "one")
    warmUp.synchronize()
    let names = (0..<size).map(Entries.name)
    if habit == .synchronizing, Self.isSampled(size) { return try timeSome(names) }
    let peer = try FoundationSettings(name).userDefaults
    return time {
      for (index, name) in names.enumerated() {
        peer.set(index, forKey: name)
        habit.follow(peer)
      }
      if habit == .setting { peer.synchronize() }
    }
  }

  /// Times some keys in the middle of each tenth, which stand for all of it, in settings that have
  /// the keys before.
  private func timeSome(_ names: [String]) throws -> Int {
    let blockSize = names.count / Self.blockCount
    var total = 0
    for block in 0..<Self.blockCount {
      let start = block * blockSize + blockSize / 2
      let entries = Dictionary(uniqueKeysWithValues: names[..<start].map { ($0, 1) })
      let file = try Scratch.configuration("\(name)-\(block)")
      try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
        .write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let peer = try FoundationSettings("\(name)-\(block)").userDefaults
      guard peer.object(forKey: names[0]) != nil else {
        throw HarnessError("\(file.path) wasn't read")
      }
      // Foundation writes it once itself.
      peer.set(0, forKey: names[0])
      peer.synchronize()
      let length = time {
        for index in start..<start + Self.sampleSize {
          peer.set(index, forKey: names[index])
          peer.synchronize()
        }
      }
      total += length * blockSize / Self.sampleSize
    }
    return total
  }
}
