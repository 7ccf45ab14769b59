import Defaults
import Foundation

/// The parts that this program plays as a child of itself: `child PART SUBJECT FOLDER NUMBER…`.
///
/// A child writes lines to its standard output; one that begins with `!` is an issue of the
/// library.
struct ChildCommand {
  private let part: String
  private let subject: Subject
  private let folder: URL
  private let numbers: [Int]

  /// The arguments that start it.
  static func arguments(
    _ part: String, _ subject: Subject, _ folder: URL, _ numbers: Int...
  ) -> [String] {
    ["child", part, subject.rawValue, folder.path] + numbers.map(String.init)
  }

  /// nil if the program wasn't started as a child.
  init?(_ arguments: [String]) {
    guard arguments.count >= 4, arguments[0] == "child",
      let subject = Subject(rawValue: arguments[2])
    else { return nil }
    part = arguments[1]
    self.subject = subject
    folder = URL(filePath: arguments[3], directoryHint: .isDirectory)
    numbers = arguments[4...].compactMap { Int($0) }
  }

  func run() throws {
    let parent = Parent()
    Defaults.issueHandler = { parent.tell("! \($0)") }
    switch (part, numbers.count) {
    case ("keys", 2):
      try WriterChild(store: subject.open(folder), parent: parent)
        .setKeys(ofWriter: numbers[0], count: numbers[1])
    case ("counter", 1):
      try WriterChild(store: subject.open(folder), parent: parent).count(numbers[0])
    case ("grow", 3):
      try GrowingChild(
        store: subject.open(folder), parent: parent, writer: numbers[0],
        habit: GrowingChild.Habit(rawValue: numbers[1]) ?? .setting, seed: UInt64(numbers[2])
      ).run()
    case ("listen", 1):
      try tieToCore(numbers[0])
      try LatencyListener(folder: folder, writer: parent).run()
    case ("send", 2):
      try tieToCore(numbers[1])
      try LatencySender(folder: folder, listener: parent).run(count: numbers[0])
    default: throw TortureError("There is no part \(part) with \(numbers.count) numbers")
    }
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
      throw TortureError("The process can't be tied to core \(core)")
    }
  #endif
}

/// The other end of a child's standard input and output.
struct Parent: Sendable {
  private let input = Descriptor(0)
  private let output = Descriptor(1)

  /// Writes a line with one call, and returns when that has returned. Ends the process if nobody is
  /// there to read it.
  func tell(_ line: String) {
    if !output.write(line + "\n") { _exit(3) }
  }

  /// Waits for the start signal; ends the process if there is nobody to give it.
  func awaitStart() {
    if receive(byteCount: 1, within: LineReader.limit) == nil { _exit(3) }
  }

  /// What was written with one call; nil at the end, or if nothing comes in time.
  func receive(byteCount: Int, within seconds: Double) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { bytes in
      guard let count = input.read(into: bytes, within: seconds), count > 0 else { return nil }
      return Array(bytes[..<count])
    }
  }

  /// Writes numbers with one call.
  func tell(_ numbers: [Int]) {
    if !numbers.withUnsafeBytes({ output.write($0) }) { _exit(3) }
  }
}
