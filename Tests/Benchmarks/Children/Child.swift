import Foundation

/// This program again, with a part to play.
final class Child {
  private let process = Process()
  private let input: Pipe
  private let output: Pipe

  /// Starts it. Its standard input and output are pipes, unless they are given.
  init(_ arguments: [String], input: Pipe? = nil, output: Pipe? = nil) throws {
    self.input = input ?? Pipe()
    self.output = output ?? Pipe()
    guard let program = Bundle.main.executablePath else {
      throw BenchmarkError("The program doesn't know where it is")
    }
    process.executableURL = URL(filePath: program)
    process.arguments = [ChildCommand.mark] + arguments
    process.environment = ProcessInfo.processInfo.environment
    process.standardInput = self.input
    process.standardOutput = self.output
    try process.run()
  }

  /// What it writes until it ends; throws if it fails.
  func lines() throws -> [String] {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("A child ended with \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Closes its standard input, and waits for its end.
  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The number that a child with these arguments writes.
  static func number(_ arguments: [String]) throws -> Int {
    let lines = try Child(arguments).lines()
    guard lines.count == 1, let number = Int(lines[0]) else {
      throw BenchmarkError("A child said \(lines)")
    }
    return number
  }
}
