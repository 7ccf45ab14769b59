import Foundation

// Keys of settings that stay in Foundation's `UserDefaults`.

extension Defaults.Suite where Self == Defaults.UserDefaultsSuite {
  /// The suite on an object of Foundation's `UserDefaults`, for a key's `suite:` and the like.
  ///
  /// ```swift
  /// let isUnicorn = Defaults.Key("isUnicorn", default: true, suite: .userDefaults(.standard))
  /// ```
  public static func userDefaults(_ userDefaults: UserDefaults) -> Self {
    Defaults.UserDefaultsSuite(userDefaults)
  }
}

extension UserDefaults {
  /// For the compiler: a setting is asked of the suite that its key names, which seldom is this
  /// object.
  @available(
    *, unavailable,
    message:
      "write `Defaults[key]`, which asks the suite of the key; what is to stay in UserDefaults has a key with `suite: .userDefaults(…)`"
  )
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}
