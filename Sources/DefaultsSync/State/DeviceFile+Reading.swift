import Defaults
import Foundation

extension DeviceFile {
  /// Reads a file of any device, strictly: every problem is an error, and nothing of the file is
  /// used then.
  ///
  /// - Throws: A `ConversionError` that says what is wrong.
  package init(_ data: Data, limit: Int = maximumSize) throws(ConversionError) {
    guard data.count <= limit else {
      throw ConversionError("it has \(data.count) bytes, and at most \(limit) are read")
    }
    let fields = Fields(try Defaults.JSONFormat().decode(data))
    let format = try fields.text("format")
    guard format == Self.format else {
      throw ConversionError(
        "its format is \"\(format.prefix(40))\", and this version reads \"\(Self.format)\"; "
          + "update this program")
    }
    try Self.check(data, against: try fields.text("checksum"))
    try fields.allow([
      "format", "device", "context", "devices", "settings", "held", "checksum",
    ])
    device = try fields.id("device")
    let devices = try fields.map("devices") { (id, value) throws(ConversionError) in
      guard Self.isID(id) else { throw ConversionError("it isn't the id of a device") }
      return try SyncDevice(Fields(value))
    }
    guard devices.count <= Self.mostDevices, devices[device] != nil else {
      throw ConversionError(
        "it must list its own device, and at most \(Self.mostDevices)", path: ["devices"])
    }
    let state = SyncState(
      entries: try fields.map("settings") { (name, value) throws(ConversionError) in
        guard !name.isEmpty, !Defaults.isReserved(name) else {
          throw ConversionError("it can't be the name of a setting")
        }
        guard case .array(let list) = value else { throw ConversionError("it isn't an array") }
        guard list.count <= Self.mostDevices else {
          throw ConversionError("it has more than \(Self.mostDevices) concurrent entries")
        }
        var entries: [SyncEntry] = []
        for value in list { entries.append(try SyncEntry(Fields(value))) }
        return entries
      },
      context: try SyncContext(fields.required("context")),
      held: try fields.map("held") { (_, value) throws(ConversionError) in
        try SyncContext(value)
      },
      devices: devices)
    guard let state else {
      throw ConversionError("its settings and its context contradict each other")
    }
    self.state = state
  }

  private static func check(_ data: Data, against checksum: String) throws(ConversionError) {
    let line = Data("\"checksum\": ".utf8)
    guard let range = data.range(of: line, options: .backwards),
      Self.checksum(of: data[..<range.lowerBound]) == checksum
    else {
      throw ConversionError("its checksum is wrong: it is half-copied or was edited")
    }
  }
}

extension SyncContext {
  fileprivate init(_ value: PropertyListValue) throws(ConversionError) {
    let fields = try Fields(value)
    guard fields.values.count <= DeviceFile.mostDevices else {
      throw ConversionError("it has more than \(DeviceFile.mostDevices) devices")
    }
    var numbers: [String: UInt64] = [:]
    for id in fields.values.keys {
      guard DeviceFile.isID(id) else {
        throw ConversionError("it isn't the id of a device", path: [id])
      }
      numbers[id] = try fields.number(id)
    }
    self.init(numbers)
  }
}

extension SyncDevice {
  fileprivate init(_ fields: Fields) throws(ConversionError) {
    try fields.allow(["name", "files", "seen", "forgotten"])
    self.init(
      name: try fields.text("name"), files: try fields.number("files"),
      seen: try fields.number("seen"), isForgotten: fields.values["forgotten"] == true)
  }
}

extension SyncEntry {
  private static let fields: Set<String> = ["version", "device", "change", "replaced", "value"]

  init(_ fields: Fields) throws(ConversionError) {
    try fields.allow(Self.fields)
    let number = try fields.number("change")
    guard number > 0 else { throw ConversionError("changes are counted from 1", path: ["change"]) }
    self.init(
      edit: Edit(entry: fields.values["value"]), version: try fields.number("version"),
      change: SyncChange(device: try fields.id("device"), number: number),
      replaced: try fields.number("replaced"))
  }
}
