extension Defaults {
  struct CodableStructureBridge<Value: Codable>: PropertyListBridge {
    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      do {
        return try StructureEncoder.encode(value)
      } catch {
        throw ConversionError(coder: error)
      }
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      do {
        return try StructureDecoder.decode(Value.self, from: stored)
      } catch {
        throw ConversionError(coder: error)
      }
    }
  }
}

extension Defaults.Coding where Value: Codable {
  /// Stores a `Codable` value as a native structure: dictionaries, arrays, numbers, text, dates and
  /// data, which other programs can read and edit.
  ///
  /// ```swift
  /// struct Window: Codable { var title = "Main"; var size = [640, 480]; var opened: Date? }
  /// Key("window", default: Window(), coding: .propertyList)  // ["title": "Main", "size": […]]
  /// ```
  ///
  /// Numbers, dates and data come back bit by bit, and are read only if they are exactly what the
  /// type asks for. URLs, decimals and integers of 128 bits are stored as by their own bridges. A
  /// field that is nil is left out; an optional *element* of an array or dictionary is an array of
  /// at most one, as of an optional in any collection. Sets are sorted, and so are dictionaries
  /// whose keys aren't text, so that equal values are stored alike.
  ///
  /// Refused are a nil where no field can be left out, a field that is written twice, and more
  /// levels than ``PropertyListValue/maximumDepth``.
  public static var propertyList: Self { Self(Defaults.CodableStructureBridge()) }
}

extension Defaults.CodingStart where Value: Codable {
  /// Begins a chain with a native structure.
  public static var propertyList: Defaults.CodingChain<Value, Defaults.PropertyListValue> {
    Defaults.CodingChain(Defaults.CodableStructureBridge())
  }
}
