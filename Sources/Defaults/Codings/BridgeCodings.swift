import Foundation

extension Defaults.Coding
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// The raw value, as its own bridge stores it.
  public static var rawValue: Self { Self(Defaults.RawRepresentableBridge()) }
}

extension Defaults.CodingStart
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// Begins a chain with the raw value.
  @_documentation(visibility: internal)
  public static var rawValue: Defaults.CodingChain<Value, Value.RawValue> {
    Defaults.CodingChain(Defaults.Coding.rawValue)
  }
}

extension Defaults.Coding where Value: NSObject & NSSecureCoding & Sendable {
  /// A keyed archive, as data.
  ///
  /// The class must be final enough to be `Sendable`; it needn't be `Serializable`. Outside Apple
  /// platforms Foundation's archivers end the process where they meet something that they don't
  /// like, and this coding keeps it from them. It costs these limits, each of them an error:
  ///
  /// - The class must be at the top level of its module: not nested, private or generic.
  /// - Beside it, an archive has only the classes that ``archive(containing:)`` names and
  ///   `NSString`, `NSNumber`, `NSData`, `NSDate`, `NSUUID`, `NSURL`, `NSNull`, `NSArray`, `NSSet`
  ///   and `NSDictionary`, the mutable ones included. Members of a set and keys of a dictionary
  ///   aren't collections.
  /// - Objects aren't nested in each other more than 256 levels deep, nor in a cycle.
  /// - `encode(with:)` and `init(coder:)` use keys. A missing object or a wrong type in the archive
  ///   is nil to `init(coder:)`, and a wrong type is an error whatever it makes of that. Both also
  ///   run when a value is checked before it is stored, so they must do nothing else. A trap of
  ///   their own, as in a force unwrap, remains one.
  public static var archive: Self { archive(containing: []) }

  /// A keyed archive of objects that contain objects of these classes, beside Foundation's.
  public static func archive(
    containing classes: [any (NSObject & NSSecureCoding & SendableMetatype).Type]
  ) -> Self {
    Self(Defaults.NSSecureCodingBridge<Value>(containing: classes))
  }
}

extension Defaults.CodingStart where Value: NSObject & NSSecureCoding & Sendable {
  /// Begins a chain with a keyed archive, as data.
  @_documentation(visibility: internal)
  public static var archive: Defaults.CodingChain<Value, Data> {
    Defaults.CodingChain(Defaults.Coding<Value>.archive)
  }
}

extension Defaults.Coding {
  /// Two closures, from the value to any type that can be stored itself, and back.
  ///
  /// ```swift
  /// Key("x", default: .zero, coding: .custom(encode: { $0.text }, decode: { Point($0) }))
  /// ```
  ///
  /// Returning nil refuses the value or the entry, and so does throwing, which also says why; in
  /// both cases the stored entry stays. `decode` must give back what `encode` was given.
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Self {
    Self(ClosureBridge(toStored: encode, toValue: decode))
  }

  /// A bridge, whatever it ends in.
  public static func bridge<B: Defaults.Bridge>(_ bridge: B) -> Self where B.Value == Value {
    Self(bridge)
  }
}

extension Defaults.CodingStart {
  /// Begins a chain with two closures.
  @_documentation(visibility: internal)
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Defaults.CodingChain<Value, Stored> {
    Defaults.CodingChain(Defaults.Coding.custom(encode: encode, decode: decode))
  }

  /// Begins a chain with a bridge.
  @_documentation(visibility: internal)
  public static func bridge<B: Defaults.Bridge>(
    _ bridge: B
  ) -> Defaults.CodingChain<Value, B.Serializable> where B.Value == Value {
    Defaults.CodingChain(bridge)
  }
}

/// A conversion that is written where it is used.
private struct ClosureBridge<Value, Stored: Defaults.Serializable>: Defaults.PropertyListBridge {
  let toStored: @Sendable (Value) throws -> Stored?
  let toValue: @Sendable (Stored) throws -> Value?

  var shape: Defaults.Shape { .converted(Stored.bridge.shape) }

  func encode(_ value: Value) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    let stored: Stored?
    do {
      stored = try toStored(value)
    } catch {
      throw Defaults.ConversionError(coder: error)
    }
    guard let stored else {
      throw Defaults.ConversionError("the key's coding has no \(Stored.self) for this value")
    }
    return try Stored.bridge.encode(stored)
  }

  func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Value {
    try value(of: Stored.bridge.decode(stored))
  }

  func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    let objects = defaults.compactMap { try? toStored($0) }
    guard objects.count == defaults.count else { return try decode(stored) }
    return try value(of: Stored.bridge.decode(stored, fillingFrom: objects))
  }

  private func value(of object: Stored) throws(Defaults.ConversionError) -> Value {
    let value: Value?
    do {
      value = try toValue(object)
    } catch {
      throw Defaults.ConversionError(coder: error)
    }
    guard let value else {
      throw Defaults.ConversionError(
        "the key's coding makes no \(Value.self) of the stored \(Stored.self)")
    }
    return value
  }
}

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

    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      do {
        var structure = FilledStructure(stored, from: try defaults.map(StructureEncoder.encode))
        return try structure.decode { try StructureDecoder.decode(Value.self, from: $0) }
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
  /// A field that is missing, and isn't optional, is filled from the key's default, so that a type
  /// can get a new one: see <doc:ChangingSettings>.
  ///
  /// Refused are a nil where no field can be left out, a field that is written twice, and more
  /// levels than ``PropertyListValue/maximumDepth``.
  public static var propertyList: Self { Self(Defaults.CodableStructureBridge()) }
}

extension Defaults.CodingStart where Value: Codable {
  /// Begins a chain with a native structure.
  @_documentation(visibility: internal)
  public static var propertyList: Defaults.CodingChain<Value, Defaults.PropertyListValue> {
    Defaults.CodingChain(Defaults.CodableStructureBridge())
  }
}
