import Foundation

extension Defaults {
  /// How entries are written to be taken somewhere else, and read back: JSON, a property list, or a
  /// format of your own.
  ///
  /// A format says exactly what it was given, or throws: what it can't hold is never rounded or
  /// left out. An error that is a ``ConversionError`` with an offset is passed on with its line.
  ///
  /// ```swift
  /// struct Lines: Defaults.ExchangeFormat {
  ///   func encode(_ entries: [String: Defaults.PropertyListValue]) throws -> Data { … }
  ///   func decode(_ data: Data) throws -> [String: Defaults.PropertyListValue] { … }
  /// }
  /// try suite.export(to: url, as: Lines())
  /// ```
  public protocol ExchangeFormat: Sendable {
    /// The content of a file with these entries; throws if one of them isn't held exactly.
    func encode(_ entries: [String: PropertyListValue]) throws -> Data

    /// The entries that a file has; throws if it isn't wholly of this format.
    func decode(_ data: Data) throws -> [String: PropertyListValue]
  }
}

extension ConversionError {
  /// The reason with the place in the bytes of a file: line and column, both from 1 on and the
  /// column in bytes, where it is text.
  package func description(in data: Data) -> String {
    guard let offset, !data.starts(with: BinaryPropertyListLayout.magic.prefix(6)) else {
      return description
    }
    let before = data.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    return "line \(line), column \(before.endIndex - start + 1): \(reason)"
  }
}

extension [String: PropertyListValue] {
  /// Adds an entry of a file; throws if its key is taken, which would lose one of the two.
  mutating func add(
    _ value: PropertyListValue, for key: String, at offset: Int
  ) throws(ConversionError) {
    // One look-up where all is well; what is lost here is thrown away with the error.
    if updateValue(value, forKey: key) != nil {
      let isSame = keys.contains { $0.hasSameScalars(as: key) }
      throw ConversionError(
        isSame
          ? "the key \"\(key)\" stands twice in a dictionary"
          : "two keys differ only in how \"\(key)\" is composed, and would become one",
        offset: offset)
    }
  }
}
