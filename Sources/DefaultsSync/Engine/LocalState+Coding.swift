import Defaults
import Foundation

extension LocalState {
  private static let format = "defaults-sync-local-1"

  /// Returns whether another version of the library wrote this content.
  package static func isOfOtherVersion(_ data: Data) -> Bool {
    guard case .string(let found)? = (try? Defaults.JSONFormat().decode(data))?["format"] else {
      return false
    }
    return found != format && found.hasPrefix("defaults-sync-local-")
  }

  /// The content of the file next to the suite's.
  ///
  /// - Parameter file: The content of the device's file, if it is known.
  package func data(with file: Data? = nil) throws(ConversionError) -> Data {
    let file = file ?? DeviceFile(device: device, state: state).data
    return try Defaults.JSONFormat().encode([
      "format": .string(Self.format), "machine": .string(machine),
      "state": .string(String(decoding: file, as: UTF8.self)),
      "applied": .dictionary(applied.mapValues(\.asValue)),
      "rules": .dictionary(rules.mapValues { .string($0.rawValue) }),
      "noticed": .dictionary(noticed.mapValues(\.asValue)),
      "suite": .string(mark.text), "published": .bool(isPublished),
      "ids": .dictionary(ids.mapValues(PropertyListValue.string)),
      "idle": .dictionary(
        idle.mapValues { .array([.number($0.files), .number($0.time)]) }),
      "removed": .dictionary(removed.mapValues(PropertyListValue.number)),
      "lastPass": .number(lastPass),
      "offered": .dictionary(offered.mapValues(\.asValue)),
    ])
  }

  /// Reads the content of the file, strictly.
  package init(_ data: Data) throws(ConversionError) {
    let fields = Fields(try Defaults.JSONFormat().decode(data))
    guard try fields.text("format") == Self.format else {
      throw ConversionError("it isn't of this version; update this program")
    }
    let file = try DeviceFile(Data(try fields.text("state").utf8), limit: .max)
    (device, state) = (file.device, file.state)
    machine = try fields.text("machine")
    applied = try fields.map("applied") { (_, value) throws(ConversionError) in
      try Applied(value)
    }
    rules = try fields.map("rules") { (_, value) throws(ConversionError) in
      guard case .string(let text) = value, let rule = SyncResolution(rawValue: text) else {
        throw ConversionError("it isn't a rule")
      }
      return rule
    }
    noticed = try fields.map("noticed") { (_, value) throws(ConversionError) in
      try LocalState.Observed(Fields(value))
    }
    mark = SuiteMark(try fields.text("suite"))
    isPublished = try fields.required("published") == true
    ids = try fields.map("ids") { (_, value) throws(ConversionError) in
      guard case .string(let id) = value, DeviceFile.isID(id) else {
        throw ConversionError("it isn't the id of a device")
      }
      return id
    }
    idle = try fields.map("idle") { (_, value) throws(ConversionError) in
      guard case .array(let numbers) = value, numbers.count == 2 else {
        throw ConversionError("it isn't two numbers")
      }
      return Idleness(files: try Fields.number(numbers[0]), time: try Fields.number(numbers[1]))
    }
    removed = try fields.map("removed") { (_, value) throws(ConversionError) in
      try Fields.number(value)
    }
    lastPass = try fields.number("lastPass")
    offered = try fields.map("offered") { (_, value) throws(ConversionError) in
      try SyncEntry(Fields(value))
    }
  }
}

extension LocalState.Observed {
  fileprivate var asValue: PropertyListValue {
    var fields: [String: PropertyListValue] = [:]
    fields["value"] = edit.entry
    fields["version"] = version.map(PropertyListValue.number)
    return .dictionary(fields)
  }

  fileprivate init(_ fields: Fields) throws(ConversionError) {
    try fields.allow(["value", "version"])
    self.init(
      edit: Edit(entry: fields.values["value"]),
      version: fields.values["version"] == nil ? nil : try fields.number("version"))
  }
}

extension LocalState.Applied {
  fileprivate var asValue: PropertyListValue {
    switch self {
    case .value: true
    case .other(let observed, let applying):
      if let applying {
        .array([observed.asValue, LocalState.Observed(edit: applying).asValue])
      } else {
        observed.asValue
      }
    case .unknown(let time): .number(time)
    }
  }

  fileprivate init(_ value: PropertyListValue) throws(ConversionError) {
    if value == true {
      self = .value
    } else if case .array(let pair) = value, pair.count == 2 {
      self = .other(
        try LocalState.Observed(Fields(pair[0])),
        applying: try LocalState.Observed(Fields(pair[1])).edit)
    } else if case .integer = value {
      self = .unknown(upTo: try Fields.number(value))
    } else {
      self = .other(try LocalState.Observed(Fields(value)))
    }
  }
}
