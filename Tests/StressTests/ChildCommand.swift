import Defaults
import Foundation
import Harness

/// The parts of this program that run in a child process: `child PART SUBJECT FOLDER NUMBER…`.
///
/// A child writes lines to its standard output. A line that begins with `!` is an issue of the
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
    arguments(part, subject, folder, numbers)
  }

  static func arguments(
    _ part: String, _ subject: Subject, _ folder: URL, _ numbers: [Int]
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
    Defaults.issueHandler = { parent.tell("! \($0.code.rawValue) \($0)") }
    switch (part, numbers.count) {
    case ("keys", 2):
      try WriterChild(store: subject.open(folder), parent: parent)
        .setKeys(ofWriter: numbers[0], count: numbers[1])
    case ("counter", 1):
      try WriterChild(store: subject.open(folder), parent: parent).count(numbers[0])
    case ("slow", 2):
      try WriterChild(store: subject.open(folder), parent: parent)
        .count(numbers[0], milliseconds: numbers[1])
    case ("grow", 3):
      try GrowingChild(
        store: subject.open(folder), parent: parent, writer: numbers[0],
        habit: GrowingChild.Habit(rawValue: numbers[1]) ?? .setting, seed: UInt64(numbers[2])
      ).run()
    case ("call", 3):
      let fault = FaultAtCall(CallFault(rawValue: numbers[0]) ?? .error, at: numbers[1])
      CallChild(fault, at: subject.file(in: folder), hasCompany: numbers[2] != 0, parent: parent)
        .run()
    case ("beside", 1):
      // Messages at exit, after the library has ended, are part of the report.
      dup2(1, 2)
      CallChild(besideAt: subject.file(in: folder), patience: numbers[0], parent: parent).run {
        parent.awaitStart()
      }
    case ("history", 6):
      let settings = folder.appending(path: "settings", directoryHint: .isDirectory)
      let file = subject.file(in: settings)
      let suite = try LockPatience.open(file, milliseconds: numbers[4])
      let seed = UInt64(numbers[3])
      let layers =
        try numbers[5] == 0
        ? nil
        : ChangingLayers(
          around: suite, in: folder.appending(path: "layers\(numbers[0])"), seed: seed)
      try HistoryChild(layers?.suite.storage ?? suite, process: numbers[0], parent: parent).run(
        threads: numbers[1], count: numbers[2], seed: seed,
        record: HistoryRun.record(of: numbers[0], in: folder))
      layers?.finish()
    case ("fleet", 3):
      try FleetChild(folder: folder, process: numbers[0], parent: parent)
        .run(count: numbers[1], seed: UInt64(numbers[2]))
    case ("queue", 3):
      try QueueChild(folder: folder, process: numbers[0], parent: parent)
        .run(port: numbers[1], seed: UInt64(numbers[2]))
    case ("watch", 2):
      try WatchChild(folder: folder, process: numbers[0], parent: parent)
        .run(apart: numbers[1] != 0)
    case ("listen", 1):
      try LatencyListener(folder: folder, core: numbers[0], parent: parent).run()
    case ("send", 2):
      try LatencySender(folder: folder, core: numbers[1], parent: parent).run(count: numbers[0])
    default: throw HarnessError("There is no part \(part) with \(numbers.count) numbers")
    }
  }
}
