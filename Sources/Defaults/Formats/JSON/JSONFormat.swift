import Foundation

extension Defaults {
  /// Entries as a JSON object (RFC 8259) that holds every value exactly.
  ///
  /// Strings, bools, arrays and dictionaries have their usual JSON form. The other values have the
  /// following forms, from which every written value is read back bit for bit:
  ///
  /// | value | JSON |
  /// | --- | --- |
  /// | an integer of at most 53 bits | a number without fraction or exponent: `5` |
  /// | a larger one | `{"$integer": "18446744073709551615"}`: other readers would round a number |
  /// | a real | a number with a fraction or exponent: `5.0`, `1e+300`, `-0.0` |
  /// | a NaN or an infinity | `{"$real": "nan"}`, `"inf"`, `"-inf"`, or another NaN's bits in hex |
  /// | a date | `{"$date": "2026-11-21T13:03:44.25Z"}`, or seconds since 2001 as a real |
  /// | data | `{"$data": "AAEC"}`, in base64 |
  /// | a name that begins with `$` | the name with another `$` before it: `"$$date"` |
  ///
  /// `"$schema"` at the top of a file, with a string, is the file's reference to its JSON Schema.
  /// The reference isn't a setting. It is read as the entry ``Defaults/schemaName``, which imports
  /// and layers ignore, and is written as `"$schema"` again. A setting that is itself named
  /// `$schema` is written `"$$schema"`, like every name that begins with `$`.
  ///
  /// If another program rewrites `5.0` as `5`, the value becomes an integer, which a key of a real
  /// also reads.
  ///
  /// Reading is strict, except for comments if ``allowsComments`` is set: `null`, a duplicate name,
  /// an unknown `$` name, an integer of more than 64 bits, half a surrogate pair, more levels than
  /// a value may have, and anything after the object are errors with their offset. Time and memory
  /// are proportional to the size.
  public struct JSONFormat: ExchangeFormat, Hashable {
    /// Whether the text is written without white space. Otherwise each element has a line, indented
    /// by two spaces, so that a diff shows the changes. Both forms are sorted by name: equal
    /// entries give equal text.
    public var isCompact: Bool

    /// Whether reading allows comments (`//` and `/* */`) and commas after the last element, as in
    /// files that people write. Writing never adds them.
    public var allowsComments: Bool

    /// Creates the format.
    ///
    /// - Parameters:
    ///   - isCompact: Whether the text is written without white space.
    ///   - allowsComments: Whether comments and commas after the last element are read.
    public init(isCompact: Bool = false, allowsComments: Bool = false) {
      self.isCompact = isCompact
      self.allowsComments = allowsComments
    }

    // Not Foundation's JSONSerialization, which loses the types of numbers and silently takes the
    // last of two equal names. It isn't faster either.

    /// Returns the text in UTF-8; throws only for a value with too many levels.
    public func encode(_ entries: [String: PropertyListValue]) throws(ConversionError) -> Data {
      for (name, value) in entries where value.isDeeper(than: PropertyListValue.maximumDepth) {
        throw .tooDeep(name)
      }
      var writer = JSONWriter(hasLines: !isCompact)
      writer.writeFile(entries)
      return Data(writer.finish())
    }

    /// Returns the entries of a text in UTF-8.
    ///
    /// - Throws: The first problem, with its offset.
    public func decode(_ data: Data) throws(ConversionError) -> [String: PropertyListValue] {
      var reader = JSONReader(data, allowingComments: allowsComments)
      return try reader.entries()
    }
  }
}

extension Defaults.ExchangeFormat where Self == Defaults.JSONFormat {
  /// JSON with a line for each entry, sorted by name.
  public static var json: Self { Self() }

  /// JSON as people write it, with comments and commas after the last element; written like
  /// ``json``.
  ///
  /// ```swift
  /// try suite.importEntries(from: url, as: .jsonc)
  /// ```
  public static var jsonc: Self { Self(allowsComments: true) }

  /// JSON without white space, sorted by name.
  public static var compactJSON: Self { Self(isCompact: true) }
}
