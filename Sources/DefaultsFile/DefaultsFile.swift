import Defaults
import DefaultsCommand
import Foundation
import Synchronization

/// The program `defaults-file`: reads and changes settings files of this library in a terminal,
/// without their keys.
@main
enum DefaultsFile {
  static let name = "defaults-file"

  static func main() {
    Console.prepare()
    // Collected until the end, since the thrown error usually repeats an issue.
    let issues = Mutex<[Defaults.Issue]>([])
    Defaults.issueHandler = { issue in issues.withLock { $0.append(issue) } }
    var failure: Defaults.CommandError?
    var code: Defaults.SuiteError.Code?
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      try Input.requireText(arguments)
      try Verb.run(arguments)
      try Console.flush()
    } catch {
      code = (error as? Defaults.SuiteError)?.code
      failure = Defaults.CommandError(flushingAfter: error)
    }
    for issue in issues.withLock({ $0 }) where issue.error.code != code {
      Console.printError(issue.error)
    }
    failure?.exit()
    exit(0)
  }
}
