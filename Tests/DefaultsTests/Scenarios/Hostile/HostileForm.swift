import Foundation
import Testing

/// One hostile form of bytes, and whether it is readable nevertheless.
struct HostileForm: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  /// Whether entries are read from the bytes, as a file or a journal.
  var isRead: Bool

  init(_ name: String, _ bytes: some Sequence<UInt8>, isRead: Bool = false) {
    self.name = name
    self.bytes = Array(bytes)
    self.isRead = isRead
  }

  init(_ name: String, xml: String, isRead: Bool = false) {
    self.init(name, "<plist version=\"1.0\">\(xml)</plist>".utf8, isRead: isRead)
  }

  var testDescription: String { name }
}
