import Foundation

extension Defaults {
  /// How entries are written to be taken somewhere else, and read back: JSON, a property list, or a
  /// format of your own.
  ///
  /// A format says exactly what it was given, or throws: what it can't hold is never rounded or
  /// left out. An error that is a ``PropertyListError`` with an offset is passed on with its line.
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

extension Defaults.PropertyListFormat: Defaults.ExchangeFormat {
  /// The entries of a property list of either format.
  public func decode(
    _ data: Data
  ) throws(Defaults.PropertyListError) -> [String: Defaults.PropertyListValue] {
    try Self.decode(data).entries
  }
}

extension Defaults.ExchangeFormat where Self == Defaults.PropertyListFormat {
  /// A property list: XML, sorted by name, where it is written; of either format where it is read.
  public static var plist: Self { .xml }

  /// A property list of this format where it is written; of either where it is read.
  public static func plist(_ format: Defaults.PropertyListFormat) -> Self { format }
}

extension Defaults.ExchangeFormat where Self == Defaults.JSONFormat {
  /// JSON with a line for each entry, sorted by name.
  public static var json: Self { Self() }

  /// JSON of this layout.
  public static func json(_ layout: Defaults.JSONFormat.Layout) -> Self { Self(layout) }
}
