import Foundation
import Harness

/// A program that a test runs and communicates with.
///
/// Its output and errors are read from the start, each by a thread of its own, so that it never
/// waits for the test to read. Nothing here depends on timing.
package final class ChildProcess {
  /// The exit of a program, and all its output.
  package struct Outcome {
    /// The exit status, or the number of the signal that killed it if `wasKilled`.
    package var status: Int32
    package var wasKilled: Bool
    package var output: String
    package var error: String

    package var lines: [String] { ChildProcess.lines(of: output) }
    package var errorLines: [String] { ChildProcess.lines(of: error) }
  }

  private let process = Process()
  private let input: FileHandle
  private let output: PipeReader
  private let error: PipeReader
  private let ending: AsyncStream<Void>

  /// Starts a program with this environment. From the tests' environment it inherits only the
  /// search paths and the coverage settings.
  package init(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let (ending, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ending = ending
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .filter { ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].contains($0.key) }
      .merging(environment) { $1 }
    process.terminationHandler = { _ in continuation.finish() }
    Descriptor.inheritance.lock()
    defer { Descriptor.inheritance.unlock() }
    let pipes = (input: Pipe(), output: Pipe(), error: Pipe())
    process.standardInput = pipes.input
    process.standardOutput = pipes.output
    process.standardError = pipes.error
    input = pipes.input.fileHandleForWriting
    try withDefaultSignals { [process] in try process.run() }
    output = PipeReader(pipes.output.fileHandleForReading)
    error = PipeReader(pipes.error.fileHandleForReading)
  }

  /// Runs a program with an empty standard input.
  package static func run(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await ChildProcess(executable, arguments, environment: environment).end()
  }

  /// A product of this package, built next to the tests.
  package static func product(_ name: String) -> URL {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }
      return (bundle ?? .main).bundleURL.deletingLastPathComponent().appending(path: name)
    #else
      return Bundle.main.bundleURL.appending(path: name)
    #endif
  }

  /// The first `python3` in the search path, if any.
  package static let python = SearchPath.program("python3")

  /// Writes to the program's standard input; the program must be running and reading.
  package func send(_ text: String) throws {
    try input.write(contentsOf: Data(text.utf8))
  }

  /// Sends a signal.
  package func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Waits for the next line of the output; nil at the end.
  package func nextLine() async -> String? {
    await output.nextLine()
  }

  /// Waits for the end of a program that ends by itself, or got a signal; its standard input stays
  /// open until it has closed its own output.
  package func outcome() async -> Outcome {
    let output = await output.everything()
    let error = await error.everything()
    for await _ in ending {}
    if process.isRunning {
      // The test was cancelled at its time limit.
      signal(SIGKILL)
      process.waitUntilExit()
    }
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: output, as: UTF8.self), error: String(decoding: error, as: UTF8.self)
    )
  }

  /// Closes the program's standard input and waits for its end.
  package func end() async throws -> Outcome {
    try input.close()
    return await outcome()
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      // Text after the last line break is a line only if it isn't empty.
      .dropLast(text.hasSuffix("\n") || text.isEmpty ? 1 : 0)
  }
}

/// Reads a pipe to its end, independent of requests for its content.
private final class PipeReader {
  private var chunks: AsyncStream<Data>.Iterator
  private var all = Data()
  /// The beginning of the next line.
  private var position = 0

  init(_ pipe: FileHandle) {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    chunks = stream.makeAsyncIterator()
    Thread.detachNewThread {
      while case let data = pipe.availableData, !data.isEmpty { continuation.yield(data) }
      continuation.finish()
    }
  }

  func nextLine() async -> String? {
    while true {
      if let end = all[position...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        return String(decoding: all[position..<end], as: UTF8.self)
      }
      guard let chunk = await chunks.next() else { return nil }
      all += chunk
    }
  }

  func everything() async -> Data {
    while let chunk = await chunks.next() { all += chunk }
    return all
  }
}
