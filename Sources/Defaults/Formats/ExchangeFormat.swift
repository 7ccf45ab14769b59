import Foundation

extension Defaults {
  /// A format to export and import entries: JSON, a property list, or one of your own.
  ///
  /// A format either holds every entry exactly or throws; it never rounds or leaves out a value. If
  /// it throws a ``ConversionError`` with an offset, the error is passed on with its line.
  ///
  /// ```swift
  /// struct Lines: Defaults.ExchangeFormat {
  ///   func encode(_ entries: [String: Defaults.PropertyListValue]) throws -> Data { … }
  ///   func decode(_ data: Data) throws -> [String: Defaults.PropertyListValue] { … }
  /// }
  /// try suite.export(to: url, as: Lines())
  /// ```
  public protocol ExchangeFormat: Sendable {
    /// Returns the content of a file with these entries; throws if an entry can't be held exactly.
    func encode(_ entries: [String: PropertyListValue]) throws -> Data

    /// Returns the entries of a file; throws if any part of it isn't of this format.
    func decode(_ data: Data) throws -> [String: PropertyListValue]
  }
}

extension ConversionError {
  /// The reason with its place in a file: for text, the line and the column, both counted from 1.
  /// The column counts bytes.
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
  /// Adds an entry of a file; throws if its key is taken, because one of the two entries would be
  /// lost.
  mutating func add(
    _ value: PropertyListValue, for key: String, at offset: Int
  ) throws(ConversionError) {
    // One look-up in the usual case. A lost value doesn't matter, because the error discards all.
    if updateValue(value, forKey: key) != nil {
      let isSame = keys.contains { $0.hasSameScalars(as: key) }
      throw ConversionError(
        isSame
          ? "the key \"\(key)\" appears twice in a dictionary"
          : "two keys differ only in the Unicode composition of \"\(key)\", and would become one",
        offset: offset)
    }
  }
}
