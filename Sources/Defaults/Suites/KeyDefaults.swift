/// The defaults that keys of a suite declare, for look-ups by name.
final class KeyDefaults: Sendable {
  /// Those of all keys which were declared with `.standard`, whichever suite that is in a scope.
  static let ofProgram = KeyDefaults()

  /// Encoded when somebody asks.
  private let byName = Lock([String: @Sendable () -> Defaults.PropertyListValue?]())

  /// Remembers the default of a key; of several keys with one name, that of the last counts.
  func register(_ name: String, _ encoded: @escaping @Sendable () -> Defaults.PropertyListValue?) {
    // The closure that is replaced, and the value in it, go outside of the lock.
    _ = byName.withLock { $0.updateValue(encoded, forKey: name) }
  }

  /// The default of a name, if it can be encoded.
  subscript(name: String) -> Defaults.PropertyListValue? { byName.withLock { $0[name] }?() }

  /// All defaults that can be encoded.
  var all: [String: Defaults.PropertyListValue] {
    byName.withLock { $0 }.compactMapValues { $0() }
  }
}
