import Defaults
import Foundation

extension Defaults {
  /// Stores data compressed, as a zlib stream (RFC 1950), which every language reads.
  ///
  /// Reads zlib streams, and raw DEFLATE (RFC 1951), which Apple's frameworks write for `.zlib`:
  /// the first byte tells which. The next write of the key stores a zlib stream.
  ///
  /// A zlib stream has a checksum, so that damage is noticed. Raw DEFLATE has none. Bytes after the
  /// end of either are an error. How well data is compressed may differ between versions of zlib,
  /// so an equal value that was stored with another version may count as changed when it is written.
  public struct CompressionBridge: Bridge {
    /// From 1, the fastest, to 9, the smallest.
    public let level: Int
    /// How many bytes the data may have; longer data is neither written nor read.
    public let limit: Int
    private let zlib: Zlib?

    /// A bridge that compresses with this level, which is brought into 1 to 9.
    public init(level: Int = 6, limit: Int = 1 << 26) {
      self.init(level: level, limit: limit, zlib: Zlib.shared)
    }

    init(level: Int, limit: Int, zlib: Zlib?) {
      self.zlib = zlib
      self.level = min(max(level, 1), 9)
      self.limit = max(limit, 0)
    }

    /// The stream; nil where encoding throws.
    public func serialize(_ value: Data?) -> Data? {
      value.flatMap { try? compress($0) }
    }

    /// The data of a stream; nil where decoding throws.
    public func deserialize(_ object: Data?) -> Data? {
      object.flatMap { try? decompress($0) }
    }

    /// Data that is a stream; throws for data above the limit, or if there is no zlib.
    public func encode(_ value: Data) throws(ConversionError) -> PropertyListValue {
      .data(try compress(value))
    }

    /// The data of a stream; throws for one that is damaged or above the limit.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Data {
      try decompress(Data.bridge.decode(stored))
    }

    private func compress(_ data: Data) throws(ConversionError) -> Data {
      guard data.count <= limit else { throw tooLong }
      guard let stream = try loaded.compress(data, level: level) else {
        throw ConversionError("there isn't enough memory to compress \(data.count) bytes")
      }
      return stream
    }

    private func decompress(_ stream: Data) throws(ConversionError) -> Data {
      switch try loaded.decompress(stream, limit: limit) {
      case .data(let data): return data
      case .tooLong: throw tooLong
      case .damaged:
        throw ConversionError(
          "the data is neither a zlib stream nor raw DEFLATE, or it is damaged")
      }
    }

    private var tooLong: ConversionError {
      ConversionError("the data has more than \(limit) bytes, which is the limit of its coding")
    }

    private var loaded: Zlib {
      get throws(ConversionError) {
        guard let zlib else {
          throw ConversionError("there is no zlib (libz.so.1) here; install it to use this key")
        }
        return zlib
      }
    }
  }
}
