import Foundation

/// Reads a text by the functions of the C library, which search megabytes quickly even in a test,
/// which isn't optimized.
struct PageReader {
  private let bytes: ContiguousArray<CChar>
  /// The number of bytes without the zero at the end.
  private let count: Int
  private var place = 0

  init(_ text: String) {
    bytes = text.utf8CString
    count = bytes.count - 1
  }

  /// The next byte; nil at the end.
  var next: UInt8? { place < count ? UInt8(bitPattern: bytes[place]) : nil }

  /// Skips bytes, at most up to the end.
  mutating func skip(_ number: Int = 1) { place = min(place + number, count) }

  /// Takes the text up to the first of some ASCII characters, or up to the end.
  mutating func take(until ends: String) -> String {
    let start = place
    return bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return "" }
      place += strcspn(base + place, ends)
      // A zero in the text ends the C string, but not the text.
      while place < count, base[place] == 0 { place += 1 + strcspn(base + place + 1, ends) }
      return String(
        decoding: UnsafeRawBufferPointer(start: base + start, count: place - start), as: UTF8.self)
    }
  }

  func begins(with prefix: String) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { strncmp($0 + place, prefix, prefix.utf8.count) == 0 } ?? false
    }
  }

  /// Skips a prefix. Returns whether the rest begins with it.
  mutating func skip(prefix: String) -> Bool {
    let found = begins(with: prefix)
    if found { place += prefix.utf8.count }
    return found
  }

  /// Returns whether a text has another one, byte by byte. The other one has no zero.
  static func contains(_ part: String, in text: String) -> Bool {
    text.utf8CString.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      var place = 0
      while place < bytes.count {
        if strstr(base + place, part) != nil { return true }
        place += strlen(base + place) + 1
      }
      return false
    }
  }

  static func containsZero(_ text: String) -> Bool {
    text.withCString { strlen($0) } < text.utf8.count
  }
}
