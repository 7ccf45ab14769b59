import Defaults

/// The fields of an object.
struct Fields {
  let values: [String: PropertyListValue]

  init(_ values: [String: PropertyListValue]) { self.values = values }

  init(_ value: PropertyListValue) throws(ConversionError) {
    guard case .dictionary(let values) = value else { throw ConversionError("it isn't an object") }
    self.init(values)
  }

  func allow(_ names: Set<String>) throws(ConversionError) {
    for name in values.keys where !names.contains(name) {
      throw ConversionError("the field isn't known", path: [String(name.prefix(40))])
    }
  }

  func required(_ name: String) throws(ConversionError) -> PropertyListValue {
    guard let value = values[name] else {
      throw ConversionError("the field is missing", path: [name])
    }
    return value
  }

  func text(_ name: String) throws(ConversionError) -> String {
    let value = try required(name)
    guard case .string(let text) = value else {
      throw ConversionError("it isn't a string", path: [name])
    }
    return text
  }

  func id(_ name: String) throws(ConversionError) -> String {
    let text = try text(name)
    guard DeviceFile.isID(text) else {
      throw ConversionError("it isn't the id of a device", path: [name])
    }
    return text
  }

  /// Returns a count, or a time that isn't after ``SyncClock/limit``.
  func number(_ name: String) throws(ConversionError) -> UInt64 {
    do throws(ConversionError) {
      return try Self.number(try required(name))
    } catch {
      throw ConversionError(error.reason, path: [name])
    }
  }

  static func number(_ value: PropertyListValue) throws(ConversionError) -> UInt64 {
    guard case .integer(let number) = value, number >= 0, number <= SyncClock.limit else {
      throw ConversionError("it isn't a count or a time")
    }
    return UInt64(number)
  }

  func map<Value>(
    _ name: String,
    _ element: (String, PropertyListValue) throws(ConversionError) -> Value
  ) throws(ConversionError) -> [String: Value] {
    guard case .dictionary(let elements) = try required(name) else {
      throw ConversionError("it isn't an object", path: [name])
    }
    var result = [String: Value](minimumCapacity: elements.count)
    for (key, value) in elements {
      do throws(ConversionError) {
        result[key] = try element(key, value)
      } catch {
        throw ConversionError(error.reason, path: [name, String(key.prefix(100))] + error.path)
      }
    }
    return result
  }
}

extension PropertyListValue {
  /// A count or a time.
  static func number(_ number: UInt64) -> Self { .integer(Int64(clamping: number)) }
}
