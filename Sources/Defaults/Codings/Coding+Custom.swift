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
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Defaults.CodingChain<Value, Stored> {
    Defaults.CodingChain(Defaults.Coding.custom(encode: encode, decode: decode))
  }

  /// Begins a chain with a bridge.
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
    let object = try Stored.bridge.decode(stored)
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
