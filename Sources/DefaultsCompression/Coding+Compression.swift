import Defaults
import Foundation

extension Defaults.Coding where Value == Data {
  /// Stores data as a zlib stream. See `CompressionBridge`.
  public static var compressed: Self { Self(Defaults.CompressionBridge()) }
}

extension Defaults.CodingStart where Value == Data {
  /// A zlib stream, as the first step of a `CodingChain`.
  public static var compressed: Defaults.CodingChain<Data, Data> {
    Defaults.CodingChain(Defaults.CompressionBridge())
  }
}

extension Defaults.CodingChain where Stored == Data {
  /// Ends the chain with a zlib stream.
  ///
  /// ```swift
  /// Key<[Visit]>("history", default: [], coding: .json.compressed)
  /// ```
  public var compressed: Defaults.Coding<Value> { then(Defaults.CompressionBridge()) }

  /// Ends the chain with a zlib stream.
  ///
  /// - Parameters:
  ///   - level: The compression level, from 1 to 9.
  ///   - limit: The maximum number of bytes of the uncompressed data.
  public func compressed(level: Int, limit: Int = 1 << 26) -> Defaults.Coding<Value> {
    then(Defaults.CompressionBridge(level: level, limit: limit))
  }
}

extension Defaults.CodingStep where Stored == Data {
  /// Continues the chain with a zlib stream.
  public var compressed: Defaults.CodingChain<Value, Data> { then(Defaults.CompressionBridge()) }

  /// Continues the chain with a zlib stream of a compression level from 1 to 9, and with a limit
  /// for the uncompressed data in bytes.
  public func compressed(level: Int, limit: Int = 1 << 26) -> Defaults.CodingChain<Value, Data> {
    then(Defaults.CompressionBridge(level: level, limit: limit))
  }
}
