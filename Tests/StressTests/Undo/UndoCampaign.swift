import Foundation
import Harness

/// Undoes and redoes random transactions of two programs on the same file, and counts the undos
/// that reverted a later change.
struct UndoCampaign: Campaign {
  let name = "undo"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.tries ?? scale.count(100_000, atLeast: 1_000)
    var (reversals, rejections, failures) = (0, 0, [String]())
    for index in 0..<count {
      do {
        var history = try UndoTry(seed: seed &+ UInt64(index))
        defer {
          reversals += history.reversals
          rejections += history.rejections
        }
        try history.run(20)
      } catch let failure as UndoTry.Failure {
        failures.append("\(index): \(failure.reason), after \(failure.steps)")
      }
    }
    return [
      Row(
        name: name, what: "histories of two programs that undo and redo", times: count,
        lost: failures.count, figures: ["\(reversals) undos", "\(rejections) rejected"],
        failures: failures)
    ]
  }
}
