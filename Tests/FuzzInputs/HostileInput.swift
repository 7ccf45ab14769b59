import Defaults
import Foundation

/// Bytes that an attacker may have written, and the code that reads them.
package struct HostileInput: Sendable {
  /// The claimed format of the bytes.
  package enum Kind: String, Sendable, CaseIterable {
    case binary, xml, journal
  }

  package var kind: Kind
  package var bytes: [UInt8]

  package init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// Reads the bytes in their format, and their values with every bridge. Returns whether any value
  /// was read.
  @discardableResult
  package func read(turn: Int = 0) -> Bool {
    switch kind {
    case .binary, .xml: Self.readFile(bytes, turn: turn)
    case .journal: Self.readJournal(bytes, turn: turn)
    }
  }

  private static func readFile(_ bytes: [UInt8], turn: Int) -> Bool {
    guard let entries = try? Defaults.PropertyListFormat.decode(Data(bytes)).entries else {
      return false
    }
    BridgeReading.read(entries, turn: turn)
    return true
  }

  private static func readJournal(_ bytes: [UInt8], turn: Int) -> Bool {
    let log = LoadedLog(bytes, path: "journal")
    // The first record contains no entries.
    guard log.recordCount > 1, case .sound = log.start else { return false }
    BridgeReading.read(log.fold.values, turn: turn)
    return true
  }
}
