import Foundation

extension Defaults {
  /// Why bytes aren't a property list that this library takes, and where the trouble stands.
  public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a clause: "a set object can't be stored".
    public var reason: String
    /// The offset of the offending byte from the start of the file, where one can be named.
    public var offset: Int?

    /// An error at a byte, or about the whole.
    public init(_ reason: String, offset: Int? = nil) {
      self.reason = reason
      self.offset = offset
    }

    /// The reason, and the offset if there is one: "… at byte 57".
    public var description: String {
      offset.map { "\(reason) at byte \($0)" } ?? reason
    }
  }
}

extension Defaults.PropertyListError {
  /// The reason with the place in the bytes of a file: line and column, both from 1 on and the
  /// column in bytes, where it is text.
  func description(in data: Data) -> String {
    guard let offset, Defaults.PropertyListFormat.detect(data) != .binary else {
      return description
    }
    let before = data.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    return "line \(line), column \(before.endIndex - start + 1): \(reason)"
  }
}
