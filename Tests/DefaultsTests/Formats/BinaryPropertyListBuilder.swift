import Foundation

/// Builds a binary property list from objects given as bytes.
struct BinaryPropertyListBuilder {
  var objects: [[UInt8]]
  var root = 0
  var offsetSize = 1
  var referenceSize = 1

  var data: Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.integer(offset, size: offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for field in [objects.count, root, table] { bytes += Self.integer(field, size: 8) }
    return Data(bytes)
  }

  /// A dictionary with one entry `k` whose value is the third object, and the rest after it.
  static func entry(_ value: [UInt8], _ rest: [UInt8]...) -> Self {
    Self(objects: [[0xd1, 1, 2], [0x51, 0x6b], value] + rest)
  }

  static func integer(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { $0 > 7 ? 0 : UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

extension Data {
  /// The data with the byte at an index replaced (from the end if negative).
  func replacing(_ index: Int, with byte: UInt8) -> Data {
    var copy = self
    copy[index < 0 ? count + index : index] = byte
    return copy
  }
}
