import Defaults
import Foundation

/// The parts that this program plays as a child of itself.
struct ChildCommand {
  /// The first argument of a child.
  static let mark = "--child"

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
      // Suites that are open needn't write anything at exit.
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
    case ("listen", 3):
      try tieToCore(Int(words[2]) ?? 0)
      try LatencyListener(folder: URL(filePath: words[1])).run()
    case ("send", 4):
      try tieToCore(Int(words[2]) ?? 0)
      try LatencySender(folder: URL(filePath: words[1])).run(rounds: Int(words[3]) ?? 1)
    default: throw BenchmarkError("There is no part \(words)")
    }
  }

  /// Sets so many entries of a new suite, and ends as a kill would: without a snapshot.
  private func leaveJournal(_ file: URL, records: Int) throws {
    let suite = try Defaults.PropertyListSuite(url: file)
    for (name, entry) in Entries.mixed(records) { suite.set(entry, forKey: name) }
    print(records)
    fflush(nil)
    _exit(0)
  }
}

/// Lets this process, and the threads that it makes from now on, run on one core only.
private func tieToCore(_ core: Int) throws {
  #if !canImport(Darwin)
    // Glibc has it, and Swift's module of Glibc doesn't.
    typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> CInt
    guard let symbol = dlsym(nil, "sched_setaffinity") else { return }
    var cores: UInt64 = 1 << core
    guard unsafeBitCast(symbol, to: SetAffinity.self)(0, 8, &cores) == 0 else {
      throw BenchmarkError("The process can't be tied to core \(core)")
    }
  #endif
}
