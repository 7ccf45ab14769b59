import Harness

extension Child {
  /// The number that a child of this program prints, without a timeout.
  static func number(_ arguments: [String]) throws -> Int {
    let child = try Child(ChildCommand.arguments(arguments), patience: 24 * 3_600)
    let lines = try child.output.rest()
    guard child.wait() == .exited(0) else {
      throw HarnessError("A child ended with \(child.wait())")
    }
    guard lines.count == 1, let number = Int(lines[0]) else {
      throw HarnessError("A child printed \(lines)")
    }
    return number
  }
}
