import Defaults
import DefaultsCommand

/// An example program that counts its launches and prints its settings. With arguments, it runs its
/// settings command.
@main
struct Example {
  static func main() {
    Defaults.Command.prepare()
    let command = Defaults.Command(allSettings, version: "1.0")
    guard CommandLine.arguments.count <= 1 else { command.main() }
    do {
      try countLaunch()
      try command.run(["list", "--about"])
    } catch {
      Defaults.CommandError(error).exit()
    }
  }

  private static func countLaunch() throws {
    let suite = Defaults.standard
    // `update` is atomic. `Defaults[.launchCount] += 1` could lose another process's increment.
    try suite.update(.launchCount) { count in
      // Stop at the largest count instead of overflowing.
      if count < Int.max { count += 1 }
    }
    do {
      try suite.flush(.snapshot)
    } catch let error where error.code == .inMemory {
      // Without a location for the file, the library works in memory and has reported an issue.
    }
  }
}
