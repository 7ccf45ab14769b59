#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Foundation

extension Defaults {
  /// The zeros behind the records of a journal, which the next ones are written over.
  ///
  /// Where a file doesn't grow, its size needn't get to the disk with its content: a record made
  /// durable costs 95 µs instead of 145. No record begins with a zero length, so that zeros are
  /// told from records.
  enum JournalRoom {
    /// How many bytes are added when a record doesn't fit; some 150 small records.
    static let size = 16_384

    /// Whether there are zeros and nothing else.
    static func isEmpty(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
      // Each byte equals the one before it.
      return bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
    }
  }
}

extension Defaults.OpenFile {
  /// Writes bytes at an offset and room behind them, or if there is no space for that (the disk may
  /// be full) the bytes alone; returns where the file ends then.
  func writeAll(_ bytes: [UInt8], withRoomAt offset: Int) throws(POSIXError) -> Int {
    let room = [UInt8](repeating: 0, count: Defaults.JournalRoom.size)
    do throws(POSIXError) {
      return try writeAll(bytes + room, at: offset)
    } catch {
      return try writeAll(bytes, at: offset)
    }
  }

  /// Writes bytes at an offset, and returns where they end.
  @discardableResult
  func writeAll(_ bytes: [UInt8], at offset: Int) throws(POSIXError) -> Int {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(POSIXError) in try writeAll(bytes, at: offset) }
    }.get()
    return offset + bytes.count
  }
}
