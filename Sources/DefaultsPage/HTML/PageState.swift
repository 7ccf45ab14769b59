import Defaults

/// The state of all rows, which the page compares to find changes.
struct PageState {
  private let digests: [UInt64]

  /// Creates the state of rows that can be changed.
  init(_ rows: [Defaults.SettingsForm.Row]) { self.init(rows.html) }

  /// Creates the state of rows from their HTML.
  init(_ html: [HTMLText]) { digests = html.map { Self.digest(of: $0.bytes) } }

  /// The digest of the whole state.
  var digest: String {
    String(digests.reduce(Self.start) { ($0 ^ $1) &* Self.prime }, radix: 16)
  }

  /// The rows that differ from another state of the same form.
  func differences(from old: Self) -> [Int] {
    digests.indices.filter { digests[$0] != old.digests[$0] }
  }

  // FNV-1a with 64 bits, which detects changes and protects from nothing else.
  private static let start: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  static func digest(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* prime }
  }
}

extension [Defaults.SettingsForm.Row] {
  /// The rows as HTML in a page that can change them.
  var html: [HTMLText] {
    enumerated().map { index, row in
      var text = HTMLText()
      RowMarkup(row: row, index: index).add(to: &text)
      return text
    }
  }
}

extension ControlText {
  /// A digest of a setting's name and the value that a user sees, in eight characters. A submission
  /// returns it, so that the page knows which values the user has changed.
  static func seen(_ name: String, _ value: String) -> String {
    let digest = PageState.digest(of: "\(name)\u{0}\(value)".utf8)
    let characters = (0..<8).map { alphabet[Int(truncatingIfNeeded: digest >> (8 + 6 * $0)) & 63] }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The digest of the value in a row's control.
  static func seen(_ row: Defaults.SettingsForm.Row) -> String {
    seen(row.name, value(of: row))
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
