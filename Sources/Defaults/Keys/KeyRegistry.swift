/// What the keys of a suite bring along, for those who know only a name.
final class KeyRegistry: Sendable {
  private struct State {
    /// Encoded when somebody asks.
    var defaults: [String: @Sendable () -> Defaults.PropertyListValue?] = [:]
  }

  /// That of all keys which were declared with `.standard`, whichever suite that is in a scope.
  static let ofProgram = KeyRegistry()

  private let state = Lock(State())

  /// Remembers the default of a key, for untyped look-ups of its name.
  func register(
    defaultOfKeyNamed name: String, _ encoded: @escaping @Sendable () -> Defaults.PropertyListValue?
  ) {
    // The closure that is replaced, and the value in it, go outside of the lock.
    _ = state.withLock { $0.defaults.updateValue(encoded, forKey: name) }
  }

  /// The default of the key that was made last for a name.
  func `default`(named name: String) -> Defaults.PropertyListValue? {
    state.withLock { $0.defaults[name] }?()
  }

  /// All defaults that can be encoded.
  var defaults: [String: Defaults.PropertyListValue] {
    state.withLock { $0.defaults }.compactMapValues { $0() }
  }
}
