import Mutation
import Testing

@testable import Defaults

@Suite("Damaged journals")
struct JournalMutationTests {
  private static let seeds = MutationSeeds.journals

  @Test("The journals that are damaged are sound, and all is read that they have")
  func seedsAreSound() {
    for seed in Self.seeds {
      let log = LoadedLog(seed.bytes, path: "journal")
      #expect(log.end == seed.bytes.count)
      #expect(log.recordCount == JournalImage.records(in: seed.bytes).count)
    }
  }

  @Test("A damaged journal is read or refused, and never traps or hangs", arguments: 0..<4)
  func damaged(part: UInt64) {
    var random = SplitMix64(state: part)
    var read = 0
    for number in 0..<1_000 {
      let seed = Self.seeds[number % Self.seeds.count]
      if Mutation.damaged(seed, with: &random).read(turn: number) { read += 1 }
    }
    // Enough is refused, and enough gets through to the bridges.
    #expect(100..<900 ~= read)
  }

  @Test("Mending a journal's checksums changes none that are right")
  func mending() {
    for seed in Self.seeds {
      var bytes = seed.bytes
      JournalImage.mend(&bytes)
      #expect(bytes == seed.bytes)
    }
  }
}
