import Foundation

extension Defaults {
  /// Entries as a JSON object (RFC 8259) that holds every value exactly.
  ///
  /// Strings, bools, arrays and dictionaries are what JSON has for them. The rest follows this
  /// convention, by which whatever is written is read back bit for bit:
  ///
  /// | value | JSON |
  /// | --- | --- |
  /// | an integer of at most 53 bits | a number without fraction or exponent: `5` |
  /// | a larger one | `{"$integer": "18446744073709551615"}`: others would round it |
  /// | a real | a number with a fraction or exponent: `5.0`, `1e+300`, `-0.0` |
  /// | a real that is no number | `{"$real": "nan"}`, `"inf"`, `"-inf"`, or a NaN's bits in hex |
  /// | a date | `{"$date": "2026-11-21T13:03:44.25Z"}`, or seconds since 2001 as a real |
  /// | data | `{"$data": "AAEC"}`, in base64 |
  /// | a name that begins with `$` | the name with another `$` before it: `"$$date"` |
  ///
  /// `"$schema"` at the top of a file, with a string, is the file's reference to its JSON Schema. It
  /// isn't a setting: it is read as the entry ``Defaults/schemaName``, which imports and layers
  /// ignore, and that entry is written as `"$schema"` again. A setting that is itself named
  /// `$schema` is written `"$$schema"`, as every name that begins with `$`.
  ///
  /// A program that rewrites `5.0` as `5` makes an integer of it, which a key for a real reads,
  /// too.
  ///
  /// Reading is strict: `null`, a name that stands twice, an unknown `$` name, an integer of more
  /// than 64 bits, half a surrogate pair, more levels than a value may have, and anything after the
  /// object are errors with their place. It takes time and memory proportional to the size.
  public struct JSONFormat: ExchangeFormat, Hashable {
    /// Whether the text is written without white space; otherwise each element has a line, indented
    /// by two spaces, so that a diff shows what changed. Both are sorted by name: equal entries give
    /// equal text.
    public var isCompact: Bool

    /// The format, with a line for each element unless it is to be compact.
    public init(isCompact: Bool = false) { self.isCompact = isCompact }

    // Foundation's JSONSerialization can't do this, as measured with Swift 6.3.1 on Linux: it
    // writes 1.0 as 1 and -0.0 as -0, reads an integer above UInt64.max as a decimal, takes the
    // last of two equal names without a word, and gives `Any`. It isn't faster either: 10,000
    // entries take 14 ms to read here, and 16 there before anything is converted.

    /// The text in UTF-8; throws only for a value with too many levels.
    public func encode(
      _ entries: [String: PropertyListValue]
    ) throws(ConversionError) -> Data {
      for (name, value) in entries where value.isDeeper(than: PropertyListValue.maximumDepth) {
        throw ConversionError(
          "\(name): it has more than \(PropertyListValue.maximumDepth) levels")
      }
      var writer = JSONWriter(hasLines: !isCompact)
      writer.writeFile(entries)
      return Data(writer.finish())
    }

    /// The entries of a text in UTF-8.
    public func decode(
      _ data: Data
    ) throws(ConversionError) -> [String: PropertyListValue] {
      var reader = JSONReader(data)
      return try reader.entries()
    }
  }
}

extension Defaults.ExchangeFormat where Self == Defaults.JSONFormat {
  /// JSON with a line for each entry, sorted by name.
  public static var json: Self { Self() }

  /// JSON without white space, sorted by name.
  public static var compactJSON: Self { Self(isCompact: true) }
}
