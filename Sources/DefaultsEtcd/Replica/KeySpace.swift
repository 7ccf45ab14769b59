import Defaults
import Foundation

/// The keys of a suite in a cluster: its prefix followed by the name of an entry.
///
/// The prefix also has the marks of writers, which show the result of a transaction whose answer
/// was lost; see ``ClusterWriter``.
struct KeySpace: Sendable {
  let prefix: String

  /// The beginning of the names of marks.
  static let marks = "Defaults.mark/"

  /// The first key, and the one after the last.
  var range: (start: Data, end: Data) { (Data(prefix.utf8), Self.end(of: prefix)) }

  /// The same range in two parts, without the marks.
  var rangesOfEntries: [(start: Data, end: Data)] {
    let marks = prefix + Self.marks
    return [(Data(prefix.utf8), Data(marks.utf8)), (Self.end(of: marks), range.end)]
  }

  /// The key of an entry. The name is in composed form (NFC), so equal names have one key.
  func key(of name: String) -> Data { Data(prefix.utf8) + Data(Self.composed(name).utf8) }

  private static func composed(_ name: String) -> String {
    name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
  }

  func key(ofMark writer: String) -> Data { key(of: Self.marks + writer) }

  /// The meaning of a key under the prefix.
  enum Content {
    /// `isComposed` if the name is in composed form.
    case entry(String, isComposed: Bool)
    case mark
    /// A key without a valid name.
    case none
  }

  func content(of key: Data) -> Content {
    let bytes = key.dropFirst(prefix.utf8.count)
    guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return .none }
    if Self.isMark(name) { return .mark }
    return .entry(name, isComposed: self.key(of: name) == key)
  }

  /// Whether a name belongs to a mark of this suite, or of one with a longer prefix.
  static func isMark(_ name: String) -> Bool { name.contains(marks) }

  /// The key after all keys that begin with a prefix.
  private static func end(of prefix: String) -> Data {
    var bytes = Data(prefix.utf8)
    // 255 isn't a byte of UTF-8.
    bytes[bytes.endIndex - 1] += 1
    return bytes
  }
}
