import FuzzInputs
import Testing

@testable import Defaults

@Suite("Random damage of journals")
struct JournalMutationTests {
  private static let seeds = MutationSeeds.journals

  @Test("The journals used for damage tests are intact and read completely")
  func seedsAreSound() {
    for seed in Self.seeds {
      let log = LoadedLog(seed.bytes, path: "journal")
      #expect(log.end == seed.bytes.count)
      #expect(log.recordCount == JournalImage.records(in: seed.bytes).count)
    }
  }

  @Test("A damaged journal is read or rejected, and never traps or hangs", arguments: 0..<4)
  func damaged(part: UInt64) {
    var random = SplitMix64(state: part)
    var read = 0
    for number in 0..<300 {
      let seed = Self.seeds[number % Self.seeds.count]
      if Mutation.damaged(seed, with: &random).read(turn: number) { read += 1 }
    }
    // Many are rejected, and many get through to the bridges.
    #expect(30..<270 ~= read)
  }

  @Test("Repairing a journal's checksums doesn't change correct ones")
  func mending() {
    for seed in Self.seeds {
      var bytes = seed.bytes
      JournalImage.mend(&bytes)
      #expect(bytes == seed.bytes)
    }
  }
}
