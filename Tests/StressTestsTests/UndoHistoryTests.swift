import Testing

@testable import StressTests

@Suite("Undo on a file that another program changes")
struct UndoHistoryTests {
  @Test("In random histories of two programs, an undo never reverts a later change")
  func histories() throws {
    var (reversals, rejections) = (0, 0)
    for seed in 1...2_000 {
      var history = try UndoTry(seed: UInt64(seed))
      try history.run(20)
      reversals += history.reversals
      rejections += history.rejections
    }
    #expect(reversals > 4_000)
    #expect(rejections > 400)
  }
}
