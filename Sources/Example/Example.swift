import Defaults
import DefaultsCommand

/// Counts its launches and shows its settings; with arguments it is their command.
@main
struct Example {
  static func main() {
    let command = Defaults.Command(allSettings, version: "1.0")
    guard CommandLine.arguments.count == 1 else { command.main() }
    // Reads and writes in one step. `Defaults[.launchCount] += 1` could lose the count of another
    // process between the two.
    Defaults.update(.launchCount) { count in
      // The largest count stays.
      if count < Int.max { count += 1 }
    }
    command.main(["list", "--about"])
  }
}
