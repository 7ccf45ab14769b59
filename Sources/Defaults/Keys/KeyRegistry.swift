import Synchronization

/// What the keys of a suite bring along, for those who know only a name.
final class KeyRegistry: Sendable {
  private struct State {
    /// Encoded when somebody asks.
    var defaults: [String: @Sendable () -> Defaults.PropertyListValue?] = [:]
    var previousNames: [String: [String]] = [:]
    /// Those of all keys.
    var names: Set<String> = []
  }

  /// That of all keys which were declared with `.standard`, whichever suite that is in a scope.
  static let ofProgram = KeyRegistry()

  private let state = Lock(State())
  /// Whether any setting was renamed; saves the others a lock.
  private let hasPreviousNames = Atomic(false)

  /// Remembers the default of a key, for untyped look-ups of its name.
  func register(
    defaultOfKeyNamed name: String, _ encoded: @escaping @Sendable () -> Defaults.PropertyListValue?
  ) {
    // The closure that is replaced, and the value in it, go outside of the lock.
    _ = state.withLock { $0.defaults.updateValue(encoded, forKey: name) }
  }

  /// Remembers that there is a key of a name, and under which names its setting was stored before.
  func register(_ name: String, previousNames: [String]) {
    state.withLock { state in
      state.names.insert(name)
      guard !previousNames.isEmpty else { return }
      let known = state.previousNames[name] ?? []
      let new = previousNames.filter { $0 != name && !known.contains($0) }
      state.previousNames[name] = known + new
    }
    if !previousNames.isEmpty { hasPreviousNames.store(true, ordering: .releasing) }
  }

  /// Whether a key of this name was ever made.
  func contains(_ name: String) -> Bool {
    state.withLock { $0.names.contains(name) }
  }

  /// The names under which a setting was stored before, the latest first.
  func previousNames(of name: String) -> [String] {
    guard hasPreviousNames.load(ordering: .acquiring) else { return [] }
    return state.withLock { $0.previousNames[name] ?? [] }
  }

  /// All settings that were renamed.
  var previousNames: [String: [String]] {
    state.withLock { $0.previousNames }
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
