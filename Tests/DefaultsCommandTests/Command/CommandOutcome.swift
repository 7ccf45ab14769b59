import Defaults
import DefaultsCommand
import Foundation
import Testing

/// The output and the status of a settings command that ran in the body of an exit test.
struct CommandOutcome {
  let status: Int32?
  let output: String
  let error: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs a command in the child process and prints its status, then runs another one if it
  /// succeeded.
  static func report(
    of command: Defaults.Command, _ arguments: [String], before next: [String]? = nil
  ) {
    Defaults.Command.prepare()
    do throws(Defaults.CommandError) {
      try command.run(arguments)
      FileHandle.standardError.write(Data("status 0\n".utf8))
      if let next { try command.run(next) }
    } catch {
      FileHandle.standardError.write(Data("\(error)\nstatus \(error.status)\n".utf8))
    }
  }

  /// Reads what `report` printed.
  init(_ result: ExitTest.Result?) {
    func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
    error = text(result?.standardErrorContent)
    output = text(result?.standardOutputContent)
    let line = error.split(separator: "\n").last { $0.hasPrefix("status ") }
    status = line.flatMap { Int32($0.dropFirst(7)) }
  }
}
