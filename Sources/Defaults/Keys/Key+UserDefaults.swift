import Foundation

// Keys of settings that remain in Foundation's `UserDefaults`.

extension Defaults.Suite where Self == Defaults.UserDefaultsSuite {
  /// Returns a suite on an object of Foundation's `UserDefaults`, for the `suite:` of a key.
  ///
  /// ```swift
  /// let isUnicorn = Defaults.Key("isUnicorn", default: true, suite: .userDefaults(.standard))
  /// ```
  public static func userDefaults(_ userDefaults: UserDefaults) -> Self {
    Defaults.UserDefaultsSuite(userDefaults)
  }
}

extension UserDefaults {
  /// Diagnoses a subscript of `UserDefaults` by a key, whose suite is usually another one.
  @available(
    *, unavailable,
    message:
      "write `Defaults[key]`, which uses the suite of the key; a setting that remains in UserDefaults has a key with `suite: .userDefaults(…)`"
  )
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}
