import Foundation

extension Defaults.BinaryPropertyListLayout {
  /// Up to 4 bytes are unsigned, 8 are signed; 16 hold what is above `Int64.max`.
  func integerValue(
    _ object: Object
  ) throws(Defaults.PropertyListError) -> Defaults.PropertyListValue {
    switch object.count {
    case 16:
      let high = integer(at: object.content, size: 8)
      let low = integer(at: object.content + 8, size: 8)
      if high == 0 {
        return low > Int64.max ? .unsignedInteger(low) : .integer(Int64(low))
      }
      let signed = Int64(bitPattern: low)
      guard high == .max, signed < 0 else {
        throw Defaults.PropertyListError("the integer has more than 64 bits", offset: object.start)
      }
      return .integer(signed)
    default:
      return .integer(Int64(bitPattern: integer(at: object.content, size: object.count)))
    }
  }

  /// The content as a floating point number, of 4 or 8 bytes.
  func real(_ object: Object) -> Double {
    let bits = integer(at: object.content, size: object.count)
    return object.count == 8
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  /// A UID in the form that keyed archives have in XML.
  func uid(_ object: Object) throws(Defaults.PropertyListError) -> Defaults.PropertyListValue {
    let number = integer(at: object.content, size: object.count)
    guard let signed = Int64(exactly: number) else {
      throw Defaults.PropertyListError("the UID has more than 63 bits", offset: object.start)
    }
    return .dictionary(["CF$UID": .integer(signed)])
  }

  /// The content as it is, copied.
  func data(_ object: Object) -> Data {
    Data(UnsafeRawBufferPointer(rebasing: bytes[object.content..<object.end]))
  }

  /// A string of 7-bit characters.
  func asciiString(_ object: Object) throws(Defaults.PropertyListError) -> String {
    var position = object.content
    while position + 8 <= object.end {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      position += 8
    }
    while position < object.end {
      guard bytes[position] < 0x80 else {
        throw Defaults.PropertyListError("a byte of an ASCII string isn't ASCII", offset: position)
      }
      position += 1
    }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[object.content..<object.end]), as: UTF8.self)
  }

  /// A string of UTF-16 code units, which must pair their surrogates.
  func utf16String(_ object: Object) throws(Defaults.PropertyListError) -> String {
    var unpaired: Int?
    // A code unit takes at most 3 bytes of UTF-8, and a pair takes 4.
    let string = String(unsafeUninitializedCapacity: 3 * object.count) { output in
      var position = object.content
      var length = 0
      while position < object.end {
        let unit = UInt32(integer(at: position, size: 2))
        var scalar = unit
        if unit & 0xf800 == 0xd800 {
          let next = position + 2 < object.end ? UInt32(integer(at: position + 2, size: 2)) : 0
          guard unit < 0xdc00, next & 0xfc00 == 0xdc00 else {
            unpaired = position
            return 0
          }
          scalar = 0x1_0000 + (unit - 0xd800) << 10 + (next - 0xdc00)
          position += 2
        }
        position += 2
        switch scalar {
        case ..<0x80:
          output[length] = UInt8(scalar)
          length += 1
        case ..<0x800:
          output[length] = UInt8(0xc0 | scalar >> 6)
          output[length + 1] = UInt8(0x80 | scalar & 0x3f)
          length += 2
        case ..<0x1_0000:
          output[length] = UInt8(0xe0 | scalar >> 12)
          output[length + 1] = UInt8(0x80 | scalar >> 6 & 0x3f)
          output[length + 2] = UInt8(0x80 | scalar & 0x3f)
          length += 3
        default:
          output[length] = UInt8(0xf0 | scalar >> 18)
          output[length + 1] = UInt8(0x80 | scalar >> 12 & 0x3f)
          output[length + 2] = UInt8(0x80 | scalar >> 6 & 0x3f)
          output[length + 3] = UInt8(0x80 | scalar & 0x3f)
          length += 4
        }
      }
      return length
    }
    if let unpaired {
      throw Defaults.PropertyListError("a surrogate in a string has no partner", offset: unpaired)
    }
    return string
  }
}
