import Defaults

/// Divides bytes that arrive in parts into lines.
package struct InputLines {
  /// The limit for the bytes of a line.
  private let limit: Int
  /// The beginning of a line whose end hasn't arrived yet.
  private var unread: [UInt8] = []
  /// Whether that line is too long, so that its bytes up to the next line feed are dropped.
  private var isDropping = false

  package init(limit: Int = Defaults.SizeLimit.value) { self.limit = limit }

  /// Calls a body with each line that ends in these bytes, without its line feed. Calls it with
  /// nil, once, for a line beyond the limit.
  package mutating func append(
    _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>?) -> Void
  ) {
    var rest = bytes
    // Only new bytes are searched. Searching all would take quadratic time for a long line.
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      add(rest[..<end], body)
      if !isDropping { body(unread[...]) }
      (unread, isDropping) = ([], false)
      rest = rest[(end + 1)...]
    }
    add(rest, body)
  }

  /// Calls a body with the last line, if it has no line feed.
  package mutating func end(_ body: (ArraySlice<UInt8>?) -> Void) {
    if !unread.isEmpty { body(unread[...]) }
    unread = []
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>?) -> Void) {
    guard !isDropping else { return }
    guard unread.count + bytes.count <= limit else {
      (unread, isDropping) = ([], true)
      return body(nil)
    }
    unread += bytes
  }
}
