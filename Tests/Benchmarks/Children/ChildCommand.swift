import Defaults
import Foundation
import Harness

/// The parts of this program that run in a child process.
struct ChildCommand {
  /// The first argument of a child.
  private static let mark = "--child"

  /// The arguments that start the program as a child.
  static func arguments(_ words: [String]) -> [String] { [mark] + words }

  private let words: [String]

  /// nil if the program wasn't started as a child.
  init?(_ arguments: [String]) {
    guard arguments.first == Self.mark else { return nil }
    words = Array(arguments.dropFirst())
  }

  func run() throws {
    switch (words.first, words.count) {
    case ("open", 4...):
      let length = try Opening(words[1]).time(words.dropFirst(3), isWarm: words[2] == "warm")
      // Skips the suites' work at exit, since nothing must be written.
      print(length)
      fflush(nil)
      _exit(0)
    case ("fill", 4):
      let peer = FoundationFilling(name: words[1], size: Int(words[2]) ?? 0)
      print(try peer.measure(words[3]))
    case ("journal", 3): try leaveJournal(URL(filePath: words[1]), records: Int(words[2]) ?? 0)
    case ("memory", 5):
      let memory = try MemoryUse(words[1])
      print(try memory.growth(isForAll: words[2] == "all", of: words[3], words[4]))
    case ("scope", 3): print(try ScopedReading(words[1]).time(Int(words[2]) ?? 0))
    case ("stop", 2): try BodyLines.stop(in: URL(filePath: words[1]))
    case ("loop", 4):
      try BodyLines.loop(
        in: URL(filePath: words[1]), number: Int(words[2]) ?? 0, count: Int(words[3]) ?? 0)
    case ("listen", 3):
      try LatencyListener(
        folder: URL(filePath: words[1]), core: Int(words[2]) ?? 0, parent: Parent()
      ).run()
    case ("send", 4):
      try LatencySender(
        folder: URL(filePath: words[1]), core: Int(words[3]) ?? 0, parent: Parent()
      ).run(count: Int(words[2]) ?? 0)
    default: throw HarnessError("There is no part \(words)")
    }
  }

  /// Sets entries of a new suite, and ends as if killed, without a snapshot.
  private func leaveJournal(_ file: URL, records: Int) throws {
    let suite = try Defaults.PropertyListSuite(url: file)
    for (name, entry) in Entries.mixed(records) { suite.set(entry, forKey: name) }
    print(records)
    fflush(nil)
    _exit(0)
  }
}
