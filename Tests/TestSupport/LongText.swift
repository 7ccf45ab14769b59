import Testing

/// A text as an argument of a test, of which the log has only the beginning.
package struct LongText: Sendable, ExpressibleByStringLiteral, CustomTestStringConvertible {
  package let value: String

  package init(_ value: String) { self.value = value }

  package init(repeating text: String, count: Int) {
    value = String(repeating: text, count: count)
  }

  package init(stringLiteral value: String) { self.value = value }

  package var testDescription: String {
    let count = value.utf8.count
    return count < 60 ? value.debugDescription : "\(value.prefix(20))… (\(count) bytes)"
  }
}
