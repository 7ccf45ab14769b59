/// What keys of a suite declare, for look-ups by name.
final class KeyDefaults: Sendable {
  /// Those of all keys which were declared with `.standard`, whichever suite that is in a scope.
  static let ofProgram = KeyDefaults()

  private let byName = Lock([String: KeyDeclaration]())
  /// The present names of keys with rules, by those that they had before.
  private let presentNames = Lock([String: String]())
  let secretNames = SecretNames()

  /// Remembers the declaration of a key, and returns that of another key of the name, if there was
  /// one. The last one counts, but for one that takes anything; a default, of those that have one.
  func register(
    _ name: String, _ declaration: KeyDeclaration, previousNames: [String]
  ) -> KeyDeclaration? {
    if declaration.rules != nil, !previousNames.isEmpty {
      presentNames.withLock { all in for previous in previousNames { all[previous] = name } }
    }
    // What is replaced is released outside of the lock.
    return byName.withLock { byName in
      let other = byName[name]
      var new = declaration
      if let other, other.type != declaration.type, declaration.isOfAnything { new = other }
      new.encodedDefault = declaration.encodedDefault ?? other?.encodedDefault
      if byName.isEmpty { byName = .withRoom }
      byName[name] = new
      return other
    }
  }

  /// The name of any key that was declared; nil if none was.
  var anyName: String? { byName.withLock { $0.keys.first } }

  /// The default of a name, if it can be encoded.
  subscript(name: String) -> Defaults.PropertyListValue? {
    byName.withLock { $0[name]?.encodedDefault }?()
  }

  /// All defaults that can be encoded.
  var all: [String: Defaults.PropertyListValue] {
    byName.withLock { $0 }.compactMapValues { $0.encodedDefault?() }
  }

  /// What is asked of the values of a name; under a previous name of a key lie its values, too.
  func rules(for name: String) -> KeyDeclaration.Rules? {
    let present = presentNames.withLock { $0[name] }
    return byName.withLock { all in (all[name] ?? present.flatMap { all[$0] })?.rules }
  }
}

/// What a key says of its setting to code that doesn't know its type.
struct KeyDeclaration: Sendable {
  /// What is asked of the values.
  struct Rules: Sendable {
    let limits: @Sendable () -> [Defaults.Limit]
    /// Throws why an entry isn't allowed.
    let check: @Sendable (Defaults.PropertyListValue) throws(Defaults.SuiteError) -> Void
  }

  let type: any Any.Type
  let isSecret: Bool
  /// Encoded when it is asked for; nil for a key without a constant default.
  var encodedDefault: (@Sendable () -> Defaults.PropertyListValue?)?
  /// nil where every value of the type is allowed.
  let rules: Rules?
}

extension KeyDeclaration {
  /// Whether keys of the type look at whatever is stored.
  var isOfAnything: Bool {
    let type = Self.unwrapped(type)
    return type == Defaults.PropertyListValue.self || type == Defaults.AnySerializable.self
  }

  /// A type, or what an optional of it wraps.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type)?.wrapped ?? type
  }
}

/// An optional of a type that isn't known.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// Names whose values are redacted.
final class SecretNames: Sendable {
  /// Those of all suites, for what is described without knowing its suite. A name that is secret in
  /// one is hidden in all.
  static let ofAll = SecretNames()

  private let names = Lock(Set<String>())

  func add(_ new: [String]) { names.withLock { $0.formUnion(new) } }

  func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}
