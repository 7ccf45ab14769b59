import Foundation
import Harness
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Damaged property lists", .prompt, .tags(.slow))
struct PropertyListMutationTests {
  typealias Format = Defaults.PropertyListFormat
  typealias Value = Defaults.PropertyListValue

  private static let small: [String: Value] = [
    "a": true, "int": 300, "real": 0.5, "ü": "é😀", "date": .date(.distantPast),
    "list": [1, ["x": .data(Data([1, 2, 3]))], "ascii text"], "big": .unsignedInteger(.max),
  ]

  /// Files of both writers; the larger one of plistlib has references of two bytes.
  private static func seeds(_ format: Format) throws -> [Data] {
    switch format {
    case .binary:
      let shared = BinaryPropertyListBuilder(
        objects: [
          [0xd2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0xa3, 4, 4, 5], [0xa2, 5, 5],
          [0xd1, 1, 6], [0x14] + [UInt8](repeating: 0, count: 15) + [9],
        ])
      return [
        try format.encode(small), try format.encode(["k": 1]), shared.data,
        PlistlibFixtures.binary,
      ]
    case .xml:
      return [try format.encode(small), PlistlibFixtures.xml.prefix(700)]
    }
  }

  @Test(
    "A damaged binary file is read or rejected, and never traps or hangs",
    arguments: 0..<20)
  func binary(part: Int) throws {
    // A sample: `StressTests` reads a million damaged files and journals, `--short` 75,000.
    try Self.damage(.binary, count: 1_000, seed: UInt64(part))
  }

  @Test("A damaged XML file is read or rejected, and never traps or hangs", arguments: 0..<4)
  func xml(part: Int) throws {
    try Self.damage(.xml, count: 250, seed: 1_000 + UInt64(part))
  }

  @Test("Damaged files don't use disproportionate memory")
  func memory() async {
    // In a process of its own, where nothing else grows.
    await #expect(processExitsWith: .success) {
      let before = ProcessMemory.peak
      for format in [Format.binary, .xml] {
        try Self.damage(format, count: 2_000, seed: 2_000)
      }
      #expect(ProcessMemory.peak - before < 64 << 20)
    }
  }

  private static func damage(_ format: Format, count: Int, seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let seeds = try Self.seeds(format)
    let sound = seeds.map { try? Format.decode($0).entries }
    let inputs = seeds.map { HostileInput(format == .binary ? .binary : .xml, Array($0)) }
    var refused = 0
    var changed = 0
    for number in 0..<count {
      // The large file is slow and is used only sometimes.
      let index = number.isMultiple(of: 50) ? seeds.count - 1 : number % max(1, seeds.count - 1)
      let data = Data(Mutation.damaged(inputs[index], with: &random).bytes)
      do throws(Defaults.ConversionError) {
        let entries = try Format.decode(data).entries
        if entries != sound[index] { changed += 1 }
      } catch {
        refused += 1
        if let offset = error.offset { #expect(0...data.count ~= offset) }
      }
    }
    // Most damage is detected; some can't be, such as a changed letter of a text.
    #expect(refused > count / 2)
    #expect(changed > 0)
  }
}
