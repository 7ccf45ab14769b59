/// Damages an input one to four times, each at random or where its structure is most sensitive.
package struct Mutation {
  var random: SplitMix64
  var bytes: [UInt8]

  /// The input with a number in the campaign of a seed, independent of other inputs.
  package static func input(
    number: UInt64, of seed: UInt64, from seeds: MutationSeeds
  ) -> HostileInput {
    var random = SplitMix64(state: seed &* 0x2545_f491_4f6c_dd1d ^ number)
    random.state = random.next()
    // Large inputs are slow, so they are rare.
    let group =
      random.oneIn(4_000) ? seeds.huge : random.oneIn(200) ? seeds.large : seeds.small
    let seed = random.pick(group)
    let other = random.pick(seeds.small)
    return damaged(seed, with: &random, splicing: other.bytes)
  }

  /// A damaged input, which may include bytes of `other`.
  package static func damaged(
    _ input: HostileInput, with random: inout SplitMix64, splicing other: [UInt8] = []
  ) -> HostileInput {
    var mutation = Mutation(random: random, bytes: input.bytes)
    // A single damage is most likely to pass the checks.
    let count = mutation.random.oneIn(2) ? 1 : 1 + mutation.random.below(4)
    for _ in 0..<count where !mutation.bytes.isEmpty {
      if mutation.random.oneIn(2) {
        mutation.damageBlindly(other)
      } else {
        switch input.kind {
        case .binary: mutation.damageBinary()
        case .xml: mutation.damageXML()
        case .journal: mutation.damageJournal()
        }
      }
    }
    // Without valid checksums, the records of a journal are never decoded.
    if input.kind == .journal, mutation.random.oneIn(2) { JournalImage.mend(&mutation.bytes) }
    random = mutation.random
    return HostileInput(input.kind, mutation.bytes)
  }

  private mutating func damageBlindly(_ other: [UInt8]) {
    let range = someRange(upTo: random.oneIn(8) ? 512 : 9)
    let index = range.lowerBound
    switch random.below(12) {
    case 0, 1: bytes[index] ^= 1 << random.below(8)
    case 2: bytes[index] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes[index] = random.pick([0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff])
    case 4: bytes[index] &+= random.oneIn(2) ? 1 : .max
    case 5: bytes.removeSubrange(range)
    case 6: insert(bytes[range], at: index, times: random.oneIn(16) ? 200 : 1)
    case 7: bytes.removeLast(min(bytes.count, random.below(random.oneIn(4) ? bytes.count : 40)))
    case 8: overwrite(index, extreme())
    case 9: for index in range { bytes[index] = 0 }
    case 10: bytes.insert(contentsOf: (0..<range.count).map { _ in random.byte }, at: index)
    default:
      guard !other.isEmpty else { return }
      let start = random.below(other.count)
      let end = min(other.count, start + 1 + random.below(64))
      bytes.replaceSubrange(range, with: other[start..<end])
    }
  }

  // MARK: What the structures share

  /// A nonempty range. Half of them are near the end, where a binary file has its tables.
  mutating func someRange(upTo length: Int) -> Range<Int> {
    let start = random.oneIn(2) ? max(0, bytes.count - 64) : 0
    let index = start + random.below(bytes.count - start)
    return index..<min(bytes.count, index + 1 + random.below(length))
  }

  mutating func insert(_ block: some Collection<UInt8>, at index: Int, times: Int = 1) {
    let repeated = (0..<times).flatMap { _ in block }
    guard bytes.count + repeated.count <= 4 << 20 else { return }
    bytes.insert(contentsOf: repeated, at: index)
  }

  mutating func overwrite(_ index: Int, _ new: some Collection<UInt8>) {
    guard index >= 0 else { return }
    for (offset, byte) in new.enumerated() where index + offset < bytes.count {
      bytes[index + offset] = byte
    }
  }

  /// A number that is typical of wrong lengths and counts, of 1 to 8 bytes in either order.
  mutating func extreme() -> [UInt8] {
    let size = 1 << random.below(4)
    let near: [UInt64] = [
      0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000,
      0xffff_ffff, 1 << 32, 1 << 62, .max >> 1, 1 << 63, .max, UInt64(bytes.count),
      UInt64(bytes.count / 2), UInt64(random.below(bytes.count)),
    ]
    let number = random.pick(near) &+ UInt64(random.below(3)) &- 1
    let little = (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    return random.oneIn(2) ? little : little.reversed()
  }
}

extension SplitMix64 {
  var byte: UInt8 {
    mutating get { UInt8(truncatingIfNeeded: next()) }
  }
}
