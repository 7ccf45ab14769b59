import Defaults
import Foundation
import FuzzInputs
import Testing

@Suite("Damaged JSON")
struct JSONMutationTests {
  @Test(
    "Damaged JSON is rejected, or gives entries that can be written and read back", arguments: 1...4
  )
  func mutations(seed: UInt64) throws {
    let format = Defaults.JSONFormat()
    let values = Dictionary(
      uniqueKeysWithValues: JSONFormatTests.values.enumerated()
        .map { ("\($0.offset)", $0.element) })
    let texts = [try format.encode(values), try format.encode(["a": ["$date": [1, 2.5, "\n"]]])]
    var generator = SplitMix64(state: seed)
    var accepted = 0
    for round in 0..<1_000 {
      var bytes = Array(texts[round % 2])
      for _ in 0...generator.below(3) {
        let index = generator.below(bytes.count)
        switch generator.below(4) {
        case 0: bytes[index] = UInt8(generator.below(256))
        case 1: bytes[index] = generator.pick(Array("{}[]\",:$\\-.eE019ntu".utf8))
        case 2: bytes.remove(at: index)
        default: bytes.insert(bytes[index], at: index)
        }
      }
      guard let entries = try? format.decode(Data(bytes)) else { continue }
      accepted += 1
      #expect(try format.decode(try format.encode(entries)) == entries)
    }
    #expect(accepted > 0)
  }
}
