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

  private let id: pid_t
  private var input: Descriptor?
  private let output: PipeReader
  private let error: PipeReader
  private let ending: AsyncStream<Child.Ending>

  /// Starts a program with this environment. From the tests' environment it inherits only the
  /// search paths and the coverage settings.
  package init(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let (ending, continuation) = AsyncStream.makeStream(of: Child.Ending.self)
    self.ending = ending
    let environment = ProcessInfo.processInfo.environment
      .filter { ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"].contains($0.key) }
      .merging(environment) { $1 }
    let (inputPipe, outputPipe, errorPipe) = try (
      Descriptor.pipe(), Descriptor.pipe(), Descriptor.pipe()
    )
    let id = try Child.spawn(
      executable.path, arguments, environment, input: inputPipe.reading,
      output: outputPipe.writing, error: errorPipe.writing)
    self.id = id
    input = inputPipe.writing
    output = PipeReader(outputPipe.reading)
    error = PipeReader(errorPipe.reading)
    Thread.detachNewThread {
      continuation.yield(Child.ending(of: id))
      continuation.finish()
    }
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
    guard input?.write(text) == true else { throw HarnessError("The program's input is closed.") }
  }

  /// Sends a signal.
  package func signal(_ number: Int32) {
    kill(id, number)
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
    var end: Child.Ending?
    for await ending in ending { end = ending }
    // Without an end, the test was cancelled at its time limit.
    if end == nil { signal(SIGKILL) }
    let (status, wasKilled) =
      switch end ?? .killed(by: SIGKILL) {
      case .exited(let status): (status, false)
      case .killed(let signal): (signal, true)
      }
    return Outcome(
      status: status, wasKilled: wasKilled, output: String(decoding: output, as: UTF8.self),
      error: String(decoding: error, as: UTF8.self))
  }

  /// Closes the program's standard input and waits for its end.
  package func end() async throws -> Outcome {
    input = nil
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

  init(_ pipe: Descriptor) {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    chunks = stream.makeAsyncIterator()
    Thread.detachNewThread {
      while case let bytes = pipe.read(), !bytes.isEmpty { continuation.yield(Data(bytes)) }
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
