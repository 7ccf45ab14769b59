// Unavailable calls of the namespace that other libraries have; see `Mistakes.swift`.

extension Defaults {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "name the settings, `Defaults.reset(.volume)`; `Defaults.removeAll()` removes all"
  )
  public static func reset() { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "write `Defaults.reset(.volume)`")
  public static func remove(_ key: AnyKey, _ more: AnyKey...) { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "write `Defaults.reset(.volume)`")
  public static func removeAll(_ key: AnyKey, _ more: AnyKey...) { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the value comes first: `try Defaults.set(5, for: .volume)`")
  public static func set<Value>(_ key: Key<Value>, _ value: Value) throws { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the value comes first: `try Defaults.set(5, for: .volume)`")
  public static func set<Value>(_ key: Key<Value>, to value: Value) throws { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable, message: "write `Defaults[.volume]`, or `try Defaults.value(for: .volume)`"
  )
  public static func get<Value>(_ key: Key<Value>) -> Value { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "write `try Defaults.update(.isOn) { $0.toggle() }`")
  public static func toggle(_ key: Key<Bool>) { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.set(5, forKey: \"volume\")`"
  )
  public static func set(_ value: Any?, forKey name: String) { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.object(forKey: \"volume\")`"
  )
  public static func value(forKey name: String) -> Any? { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable, message: "register with a suite: `Defaults.standard.register(defaults:)`"
  )
  public static func register(defaults: [String: Any]) { fatalError() }

  /// Diagnoses a transaction that awaits.
  @available(
    *, unavailable,
    message:
      "the body of a transaction can't await, since it may run again: await before the call, and use the results in the body"
  )
  public static func transaction<Result>(
    _ body: (inout Draft) async throws -> Result
  ) throws -> Result { fatalError() }

  /// Diagnoses an update that awaits.
  @available(
    *, unavailable,
    message:
      "the body of an update can't await, since it may run again: await before the call, and use the results in the body"
  )
  public static func update<Value, Result>(
    _ key: Key<Value>, _ body: (inout Value) async throws -> Result
  ) throws -> Result { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the program's suite is `Defaults.standard`")
  public static var suite: any Suite {
    get { fatalError() }
    set { fatalError() }
  }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.object(forKey: \"volume\")`"
  )
  public static func object(forKey name: String) -> PropertyListValue? { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.string(forKey: \"name\")`"
  )
  public static func string(forKey name: String) -> String? { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.integer(forKey: \"volume\")`"
  )
  public static func integer(forKey name: String) -> Int { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare a key, `Defaults[.volume]`, or access the setting by name, `Defaults.standard.bool(forKey: \"isOn\")`"
  )
  public static func bool(forKey name: String) -> Bool { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "only an optional setting can be nil; `Defaults.reset(.volume)` removes the entry"
  )
  public static subscript<Value>(key: Key<Value>) -> Never? {
    get { fatalError() }
    set { fatalError() }
  }
}
