import Defaults
import Foundation

extension Defaults {
  /// Stores data compressed, as a zlib stream (RFC 1950), which every language can read.
  ///
  /// Reads zlib streams and raw DEFLATE (RFC 1951), which Apple's frameworks write for `.zlib`; the
  /// first byte distinguishes them. The next write of the key stores a zlib stream.
  ///
  /// The checksum of a zlib stream detects damage. Raw DEFLATE has none. In both forms, extra bytes
  /// at the end are an error. The compressed bytes may differ between versions of zlib, so writing
  /// an equal value that another version stored may count as a change.
  public struct CompressionBridge: Bridge {
    /// The compression level, from 1, the fastest, to 9, the smallest.
    public let level: Int
    /// The maximum number of bytes of the data. Longer data is neither written nor read.
    public let limit: Int
    private let zlib: Zlib?

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - level: The compression level, clamped to 1...9.
    ///   - limit: The maximum number of bytes of the data.
    public init(level: Int = 6, limit: Int = 1 << 26) {
      self.init(level: level, limit: limit, zlib: Zlib.shared)
    }

    init(level: Int, limit: Int, zlib: Zlib?) {
      self.zlib = zlib
      self.level = min(max(level, 1), 9)
      self.limit = max(limit, 0)
    }

    /// Returns the stream; nil if encoding throws.
    public func serialize(_ value: Data?) -> Data? {
      value.flatMap { try? compress($0) }
    }

    /// Returns the data of a stream; nil if decoding throws.
    public func deserialize(_ object: Data?) -> Data? {
      object.flatMap { try? decompress($0) }
    }

    /// Returns the compressed data.
    ///
    /// - Throws: An error if the data exceeds the limit, or if zlib isn't available.
    public func encode(_ value: Data) throws(ConversionError) -> PropertyListValue {
      .data(try compress(value))
    }

    /// Returns the data of a stream.
    ///
    /// - Throws: An error if the stream is damaged, or its data exceeds the limit.
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
      ConversionError("the data has more than \(limit) bytes, the limit of its coding")
    }

    private var loaded: Zlib {
      get throws(ConversionError) {
        guard let zlib else {
          throw ConversionError("zlib (libz.so.1) isn't available; install it to use this key")
        }
        return zlib
      }
    }
  }
}
