import Foundation

extension Defaults {
  /// Stores a `URL` as its string; one with a base URL as the strings of both, relative part first.
  ///
  /// Reading is strict: a string that would have to be corrected to become a URL is refused.
  public struct URLBridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// A string or an array of two; throws if they wouldn't give an equal URL again.
    public func encode(_ value: URL) throws(ConversionError) -> PropertyListValue {
      let relative = PropertyListValue.string(value.relativeString)
      let stored: PropertyListValue =
        value.baseURL.map { [relative, .string($0.absoluteString)] } ?? relative
      guard let copy = try? decode(stored), copy == value else {
        throw ConversionError("the URL \"\(value)\" has no string that stands for it")
      }
      return stored
    }

    /// The URL of a string, or of a relative part and its base.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> URL {
      switch stored {
      case .string(let string):
        return try Self.url(string)
      case .array(let parts):
        guard parts.count == 2, case .string(let relative) = parts[0],
          case .string(let base) = parts[1]
        else {
          throw ConversionError("a URL with a base was expected, as the two strings of it")
        }
        // Foundation has no strict reading of a relative part, so it's checked by itself first.
        let checked = try Self.url(relative)
        let absolute = try Self.url(base)
        guard let url = URL(string: checked.relativeString, relativeTo: absolute) else {
          throw ConversionError("\"\(relative)\" isn't a URL relative to \"\(base)\"")
        }
        return url
      default:
        throw .mismatch(stored, expected: "the string of a URL")
      }
    }

    private static func url(_ string: String) throws(ConversionError) -> URL {
      guard let url = URL(string: string, encodingInvalidCharacters: false) else {
        throw ConversionError("\"\(string)\" isn't a URL")
      }
      return url
    }
  }
}

extension URL: Defaults.Serializable {
  /// Stores a string, or two.
  public static var bridge: Defaults.URLBridge { Defaults.URLBridge() }
}
