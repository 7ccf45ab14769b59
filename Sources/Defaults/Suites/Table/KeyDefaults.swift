import Synchronization

/// The declarations of a suite's keys by name.
final class KeyDefaults: Sendable {
  /// The declarations of all keys with the suite `.standard`, including those used in a scope.
  static let ofProgram = KeyDefaults()

  private let byName = Lock([String: KeyDeclaration]())
  /// The current names of keys with rules, by their previous names.
  private let presentNames = Lock([String: String]())
  /// The descriptions of settings, by name.
  private let texts = Lock([String: String]())
  let secretNames = SecretNames()
  /// The keys with a label of another product, without their suites, by name.
  private let markedKeys = Lock([String: any DeclaredKey]())
  private let markHandlers = Lock([Int: @Sendable () -> Bool]())

  /// Registers the declaration of a key. The last declaration of a name is used. If it has no
  /// default, the previous default stays. If it accepts anything and has another type than the
  /// previous declaration, the rest of the previous declaration stays, too.
  ///
  /// - Returns: The previous declaration for the name, if any.
  func register(
    _ name: String, _ declaration: KeyDeclaration, previousNames: [String]
  ) -> KeyDeclaration? {
    if declaration.rules != nil, !previousNames.isEmpty {
      presentNames.withLock { all in for previous in previousNames { all[previous] = name } }
    }
    // The replaced declaration is released outside of the lock.
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

  func describe(_ name: String, as text: String) { texts.withLock { $0[name] = text } }

  func addMarked(_ key: any DeclaredKey) {
    let old = markedKeys.withLock { $0.updateValue(key, forKey: key.name) }
    guard old == nil else { return }
    let handlers = markHandlers.withLock { $0 }
    guard !handlers.isEmpty else { return }
    let ended = handlers.filter { !$0.value() }
    markHandlers.withLock { all in for id in ended.keys { all[id] = nil } }
  }

  /// Calls a handler after each later key with a label, until the handler returns false.
  func whenMarked(_ handler: @escaping @Sendable () -> Bool) {
    markHandlers.withLock { $0[($0.keys.max() ?? 0) + 1] = handler }
  }

  func isMarked(_ name: String) -> Bool { markedKeys.withLock { $0[name] != nil } }

  /// The keys with a label of another product.
  var marked: [any DeclaredKey] { Array(markedKeys.withLock { $0 }.values) }

  /// Returns the description of a setting.
  func about(_ name: String) -> String? { texts.withLock { $0[name] } }

  /// The name of any declared key; nil if there is none.
  var anyName: String? { byName.withLock { $0.keys.first } }

  /// The default of a name, if it can be encoded.
  subscript(name: String) -> Defaults.PropertyListValue? {
    byName.withLock { $0[name]?.encodedDefault }?()
  }

  /// All defaults that can be encoded.
  var all: [String: Defaults.PropertyListValue] {
    byName.withLock { $0 }.compactMapValues { $0.encodedDefault?() }
  }

  /// Returns the rules for the values of a name. A key's rules also apply to its previous names.
  func rules(for name: String) -> KeyDeclaration.Rules? {
    let present = presentNames.withLock { $0[name] }
    return byName.withLock { all in (all[name] ?? present.flatMap { all[$0] })?.rules }
  }
}

/// The facts about a key for code that doesn't know its type.
struct KeyDeclaration: Sendable {
  /// The rules for values.
  struct Rules: Sendable {
    let limits: @Sendable () -> [Defaults.Limit]
    /// Throws the reason why an entry isn't allowed.
    let check: @Sendable (Defaults.PropertyListValue) throws(Defaults.SuiteError) -> Void
  }

  let type: any Any.Type
  let isSecret: Bool
  /// Encoded on demand; nil for a key without a constant default.
  var encodedDefault: (@Sendable () -> Defaults.PropertyListValue?)?
  /// nil if every value of the type is allowed.
  let rules: Rules?
}

extension KeyDeclaration {
  /// Whether keys of the type accept any stored entry.
  var isOfAnything: Bool {
    let type = Self.unwrapped(type)
    return type == Defaults.PropertyListValue.self || type == Defaults.AnySerializable.self
  }

  /// Returns the type or, for an optional, the wrapped type.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type)?.wrapped ?? type
  }
}

/// An optional of an unknown type.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// Names whose values are redacted.
final class SecretNames: Sendable {
  /// The secret names of all suites, for descriptions without a known suite. A name that is secret
  /// in one suite is redacted in all.
  static let ofAll = SecretNames()

  /// The number of calls of ``add(_:)`` in this process.
  static let changes = Atomic(0)

  private let names = Lock(Set<String>())

  var all: Set<String> { names.withLock { $0 } }

  func add(_ new: [String]) {
    names.withLock { $0.formUnion(new) }
    Self.changes.wrappingAdd(1, ordering: .relaxed)
  }

  /// Returns whether a setting is secret, in any profile.
  func contains(_ name: String) -> Bool {
    let name = Defaults.settingName(of: name)
    return names.withLock { $0.contains(name) }
  }
}
