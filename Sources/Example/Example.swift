import Foundation

@main
struct Example {
  static func main() {
    do {
      try Command.run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Console.printError(error)
      // The numbers are those of <sysexits.h>: wrong usage, or input and output.
      exit(error is UsageError ? 64 : 74)
    }
  }
}
