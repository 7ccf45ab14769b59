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
