import Foundation

extension Defaults {
  /// The only name of a JSON object that stands for a value which JSON itself can't hold; what it
  /// holds is a string.
  enum JSONTag: String {
    case integer = "$integer"
    case real = "$real"
    case date = "$date"
    case data = "$data"

    /// Whether every reader of JSON keeps the integer as it is, those with nothing but doubles too.
    static func isSafe(_ number: Int64) -> Bool {
      -0x1f_ffff_ffff_ffff...0x1f_ffff_ffff_ffff ~= number
    }

    /// The name as it is written, which is no tag.
    static func escape(_ name: String) -> String {
      isMarked(name) ? "$" + name : name
    }

    /// The name that was written so; nil if it is a tag, or should be one.
    static func unescape(_ written: String) -> String? {
      guard isMarked(written) else { return written }
      let name = String(Substring(written.utf8.dropFirst()))
      return isMarked(name) ? name : nil
    }

    /// By bytes: "$" with a combining mark is another character.
    private static func isMarked(_ name: String) -> Bool {
      name.utf8.first == UInt8(ascii: "$")
    }

    /// The value that the tag makes of a string.
    func value(of text: String, at offset: Int) throws(PropertyListError) -> PropertyListValue {
      let value: PropertyListValue? =
        switch self {
        case .integer: Self.integer(text)
        case .real: ExactText.real(text).map(PropertyListValue.real)
        case .date: ExactText.date(text).map(PropertyListValue.date)
        case .data: Data(base64Encoded: text).map(PropertyListValue.data)
        }
      guard let value else {
        throw PropertyListError(
          "the \(rawValue.dropFirst()) can't be read from \"\(text.prefix(40))\"", offset: offset)
      }
      return value
    }

    /// A decimal integer of 64 bits, with or without a sign.
    static func integer(_ text: some StringProtocol) -> PropertyListValue? {
      Int64(text).map(PropertyListValue.integer)
        ?? UInt64(text).map(PropertyListValue.unsignedInteger)
    }
  }
}
