import Foundation
import Harness

/// Fills empty Foundation settings one key at a time. It needs a process of its own, since
/// Foundation also saves unsaved changes under other names.
struct FoundationFilling {
  let name: String
  let size: Int

  /// The action after each set.
  enum Habit: String {
    case synchronizing
    case reading
    /// Nothing; the settings are saved once at the end.
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

  /// Whether only some keys are timed when each is saved. Each save takes time in proportion to the
  /// number of entries, so the full run would take minutes.
  static func isSampled(_ size: Int) -> Bool { size > blockCount * sampleSize }

  /// The time in nanoseconds.
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

  /// Times some keys in the middle of each tenth, in settings that have the previous keys, and
  /// extrapolates.
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
      // Foundation writes the file in its own form once.
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
