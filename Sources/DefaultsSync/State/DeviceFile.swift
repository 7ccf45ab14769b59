import Defaults
import Foundation

/// The file of a device: its id and its whole state.
///
/// JSON with one setting a line, sorted, so that version control shows and merges it:
///
/// ```json
/// {
/// "format": "defaults-sync-1",
/// "device": "1f0ajq6z",
/// "context": {"1f0ajq6z":12,"7kd02m":3},
/// "devices": {
///   "1f0ajq6z": {"files":9,"name":"desk","seen":1795600000},
///   "7kd02m": {"files":4,"name":"laptop","seen":1795500000}
/// },
/// "settings": {
///   "font": [{"change":12,"device":"1f0ajq6z","replaced":0,"value":"mono","version":1795599000}],
///   "volume": [{"change":3,"device":"7kd02m","replaced":0,"version":1795400000}]
/// },
/// "held": {
/// },
/// "checksum": "2f9a01c4"
/// }
/// ```
///
/// An entry without a value is a removal. The checksum (CRC-32) is of all bytes before its line. It
/// detects a half-copied file, in which a new context with old entries would look like removals.
package struct DeviceFile: Sendable, Equatable {
  package static let format = "defaults-sync-1"
  /// The maximum size of a file that is read, in bytes.
  package static let maximumSize = 1 << 20
  /// The maximum size of a file that is written, in bytes. A device that joins the file adds its
  /// own line.
  package static let publishedSize = maximumSize / 16 * 15
  /// The maximum number of devices that a file mentions, and of concurrent entries of a setting.
  static let mostDevices = 1_000

  package var device: String
  package var state: SyncState

  package init(device: String, state: SyncState) {
    self.device = device
    self.state = state
  }

  /// Returns whether a text may be the id of a device, and so the name of its file: 1 to 32 lower
  /// case letters and digits.
  package static func isID(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...32).contains(bytes.count)
      && bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
  }

  // MARK: - Writing

  /// The content of the file.
  package var data: Data {
    var text = "{\n\"format\": \"\(Self.format)\",\n\"device\": \(Self.line(.string(device))),\n"
    text += "\"context\": \(Self.line(state.context.asValue)),\n"
    text += "\"devices\": {\n"
    text += Self.lines(state.devices) { Self.line($0.asValue) }
    text += "},\n\"settings\": {\n"
    text += Self.lines(state.entries) { Self.line(.array($0.map(\.asValue))) }
    text += "},\n\"held\": {\n"
    text += Self.lines(state.held) { Self.line($0.asValue) }
    text += "},\n"
    return Data((text + "\"checksum\": \"\(Self.checksum(of: Data(text.utf8)))\"\n}\n").utf8)
  }

  private static func line(_ value: PropertyListValue) -> String { Defaults.jsonLine(of: value) }

  private static func lines<Value>(
    _ values: [String: Value], _ line: (Value) -> String
  ) -> String {
    let names = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let lines = names.compactMap { name in
      values[name].map { "  \(self.line(.string(Defaults.JSONTag.escape(name)))): \(line($0))" }
    }
    return lines.isEmpty ? "" : lines.joined(separator: ",\n") + "\n"
  }

  static func checksum(of data: Data) -> String {
    let number = data.withUnsafeBytes { Defaults.Checksum.of($0) }
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension SyncContext {
  fileprivate var asValue: PropertyListValue {
    .dictionary(numbers.mapValues { .number($0) })
  }
}

extension SyncDevice {
  fileprivate var asValue: PropertyListValue {
    var fields: [String: PropertyListValue] = [
      "name": .string(name), "files": .number(files),
      "seen": .number(seen),
    ]
    if isForgotten { fields["forgotten"] = true }
    return .dictionary(fields)
  }
}

extension SyncEntry {
  var asValue: PropertyListValue {
    var fields: [String: PropertyListValue] = [
      "version": .number(version), "device": .string(change.device),
      "change": .number(change.number), "replaced": .number(replaced),
    ]
    fields["value"] = edit.entry
    return .dictionary(fields)
  }
}
