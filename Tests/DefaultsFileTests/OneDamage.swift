import FuzzInputs

/// Damage to a file in one place.
struct OneDamage: CustomStringConvertible {
  enum Kind: CaseIterable, Sendable { case flip, cut, zeros, insertion, deletion }

  let kind: Kind
  /// The affected bytes of the intact file; empty for an insertion.
  let range: Range<Int>
  private let inserted: [UInt8]
  private let flip: UInt8

  var description: String { "\(kind) \(range)" }

  init(_ kind: Kind, of count: Int, _ random: inout SplitMix64) {
    self.kind = kind
    let start = random.below(count)
    let length = 1 + random.below(random.oneIn(3) ? 64 : 8)
    range =
      switch kind {
      case .flip: start..<start + 1
      case .cut: start..<count
      case .insertion: start..<start
      case .zeros, .deletion: start..<min(count, start + length)
      }
    flip = UInt8(1 + random.below(255))
    inserted =
      kind == .insertion ? (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) } : []
  }

  func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch kind {
    case .flip: bytes[range.lowerBound] ^= flip
    case .zeros: for index in range { bytes[index] = 0 }
    case .cut, .deletion: bytes.removeSubrange(range)
    case .insertion: bytes.insert(contentsOf: inserted, at: range.lowerBound)
    }
    return bytes
  }

  /// Whether the damage changes some of these bytes or is between them.
  func hits(_ other: Range<Int>) -> Bool {
    kind == .insertion
      ? other.lowerBound < range.lowerBound && range.lowerBound < other.upperBound
      : range.overlaps(other)
  }
}
