import Defaults
import Foundation

/// The keys of a cluster that are a suite's entries: those under its prefix, each name as it is.
///
/// Beside the entries lie the marks of those who write, by which a writer whose answer was lost
/// finds out what became of its transaction; see ``ClusterWriter``.
struct KeySpace: Sendable {
  let prefix: String

  /// What the names of marks begin with.
  static let marks = "Defaults.mark/"

  /// The first key, and the one after the last.
  var range: (start: Data, end: Data) { (Data(prefix.utf8), Self.end(of: prefix)) }

  /// The same in two parts, without the marks.
  var rangesOfEntries: [(start: Data, end: Data)] {
    let marks = prefix + Self.marks
    return [(Data(prefix.utf8), Data(marks.utf8)), (Self.end(of: marks), range.end)]
  }

  /// The key of an entry, with the name in composed form (NFC): names that are equal have one key.
  func key(of name: String) -> Data { Data(prefix.utf8) + Data(Self.composed(name).utf8) }

  private static func composed(_ name: String) -> String {
    name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
  }

  /// The key of a writer's mark.
  func key(ofMark writer: String) -> Data { key(of: Self.marks + writer) }

  /// What a key under the prefix is.
  enum Content {
    /// `isComposed` if it is the key that the name has here.
    case entry(String, isComposed: Bool)
    case mark
    /// Nothing that can have a name.
    case none
  }

  func content(of key: Data) -> Content {
    let bytes = key.dropFirst(prefix.utf8.count)
    guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return .none }
    if Self.isMark(name) { return .mark }
    return .entry(name, isComposed: self.key(of: name) == key)
  }

  /// Whether a name is a mark's, here or of a suite whose prefix begins with this one.
  static func isMark(_ name: String) -> Bool { name.contains(marks) }

  /// The key after all that begin with these bytes.
  private static func end(of prefix: String) -> Data {
    var bytes = Data(prefix.utf8)
    // No byte of UTF-8 is 255.
    bytes[bytes.endIndex - 1] += 1
    return bytes
  }
}
