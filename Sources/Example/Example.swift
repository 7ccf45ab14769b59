import Defaults
import Foundation

@main
struct Example {
  static func main() {
    Console.prepare()
    // The library's own handler prints the line as it is. A path in it may hold control characters.
    Defaults.issueHandler = { Console.printToStandardError($0.description) }
    do {
      try Command.run(Array(CommandLine.arguments.dropFirst()))
      try Console.flush()
    } catch {
      // What was printed before the error is still worth reading.
      try? Console.flush()
      end(after: error)
    }
  }

  /// Says what went wrong, in one sentence, and exits.
  private static func end(after error: any Error) -> Never {
    // The status with which a shell reports a program that a broken pipe killed. It isn't killed
    // by the signal, so that the library can finish its work.
    if let error = error as? OutputError, error.isBrokenPipe { exit(128 + SIGPIPE) }
    Console.printError(error)
    // The numbers are those of <sysexits.h>: wrong usage, or input and output.
    exit(error is UsageError ? 64 : 74)
  }
}
