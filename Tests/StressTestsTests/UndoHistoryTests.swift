import Testing

@testable import StressTests

@Suite("Undo on a file that another program changes")
struct UndoHistoryTests {
  @Test("In random histories of two programs, an undo never reverts a later change")
  func histories() throws {
    var (reversals, rejections) = (0, 0)
    // A sample: `StressTests` tries 100,000 histories, and 7,500 with `--short`.
    for seed in 1...250 {
      var history = try UndoTry(seed: UInt64(seed))
      try history.run(20)
      reversals += history.reversals
      rejections += history.rejections
    }
    #expect(reversals > 500)
    #expect(rejections > 50)
  }
}
