extension Defaults {
  /// Why a value couldn't be turned into a property list, or a property list into a value.
  public struct ConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a clause: "5.5 isn't a whole number".
    public var reason: String
    /// Where in the value, from the outside in: `["[3]", "age"]`; empty for the value itself.
    public var path: [String]

    /// An error about a value, or about the part of it that `path` leads to.
    public init(_ reason: String, path: [String] = []) {
      self.reason = reason
      self.path = path
    }

    /// The reason, after the path if there is one: "[3].age: 5.5 isn't a whole number".
    public var description: String {
      path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)"
    }

    /// The same error, one level further out.
    @usableFromInline
    func at(_ component: String) -> Self {
      Self(reason, path: [component] + path)
    }

    /// A stored value is of another kind than the reader expects.
    @usableFromInline
    static func mismatch(_ stored: PropertyListValue, expected: String) -> Self {
      Self("it is \(stored.kind), and \(expected) was expected")
    }

    /// A stored number, or text that stands for one, can't be the expected type without a change.
    @usableFromInline
    static func inexact(_ number: some CustomStringConvertible, as type: String) -> Self {
      Self("\(number) isn't exactly representable as \(type)")
    }

    /// Runs the conversion of a part; an error comes out with the part's place in its path.
    @inlinable
    static func locating<Result>(
      _ component: @autoclosure () -> String,
      _ body: () throws(ConversionError) -> Result
    ) throws(ConversionError) -> Result {
      do throws(ConversionError) { return try body() } catch { throw error.at(component()) }
    }
  }
}
