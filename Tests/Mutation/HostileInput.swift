import Defaults
import Foundation

/// Bytes that somebody may have made in bad faith, and what reads them.
package struct HostileInput: Sendable {
  /// Which bytes they pretend to be.
  package enum Kind: String, Sendable, CaseIterable {
    case binary, xml, journal
  }

  package var kind: Kind
  package var bytes: [UInt8]

  package init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// Reads the bytes as what they pretend to be, and what they hold with every bridge; whether
  /// there is anything in them that is read.
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
    // The first one says that there is no entry yet.
    guard log.recordCount > 1, log.isReadable else { return false }
    BridgeReading.read(log.values, turn: turn)
    return true
  }
}
