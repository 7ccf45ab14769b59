import Defaults
import DefaultsCommand

/// Counts its launches and shows its settings; with arguments it is their command.
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
    // Reads and writes in one step. `Defaults[.launchCount] += 1` could lose the count of another
    // process between the two.
    try suite.update(.launchCount) { count in
      // The largest count stays.
      if count < Int.max { count += 1 }
    }
    do {
      try suite.flush(.snapshot)
    } catch let error where error.code == .inMemory {
      // Without a place for the file the library works in memory, and an issue has said why.
    }
  }
}
