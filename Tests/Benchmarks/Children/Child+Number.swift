import Harness

extension Child {
  /// The number that this program writes as a child with these arguments, however long that takes.
  static func number(_ arguments: [String]) throws -> Int {
    let child = try Child(ChildCommand.arguments(arguments), patience: 24 * 3_600)
    let lines = try child.output.rest()
    guard child.wait() == .exited(0) else {
      throw HarnessError("A child ended with \(child.wait())")
    }
    guard lines.count == 1, let number = Int(lines[0]) else {
      throw HarnessError("A child said \(lines)")
    }
    return number
  }
}
