import Synchronization

/// The part of a key that this layer knows.
package protocol DeclaredKey: AnyObject, Sendable {
  var name: String { get }
  /// The name and the previous names.
  var allNames: [String] { get }
  /// Registers the names of a secret with a suite that may not know them.
  func redact(in support: Defaults.SuiteSupport)
}

/// The declarations of a suite's keys by name.
final class KeyDefaults: Sendable {
  /// The declarations of all keys with the suite `.standard`, including those used in a scope.
  static let ofProgram = KeyDefaults()

  private struct State {
    var declarations: [String: KeyDeclaration] = [:]
    /// The current names of keys, by their previous names.
    var presentNames: [String: String] = [:]
    /// The descriptions of settings, by name.
    var texts: [String: String] = [:]
    /// The keys with a label of another product, without their suites, by name.
    var marked: [String: any DeclaredKey] = [:]
    /// The names of these keys, including previous names.
    var markedNames: Set<String> = []
    var markHandlers: [Int: @Sendable () -> Bool] = [:]
    /// Never used again, since several threads may remove the same handler.
    var nextHandler = 0
  }

  private let state = Lock(State())
  let secretNames = SecretNames()

  /// Registers the declaration of a key, which replaces that of an earlier key. A previous default
  /// stays if there is no new one, and everything else stays if the new key accepts anything and is
  /// of another type.
  ///
  /// - Returns: The previous declaration for the name, if any, and another key's name that is a
  ///   previous name of this key, or this key's name if it is a previous name of another key.
  func register(
    _ name: String, _ declaration: KeyDeclaration, previousNames: [String]
  ) -> (other: KeyDeclaration?, sharedName: String?) {
    // The replaced declaration is released outside of the lock.
    state.withLock { state in
      for previous in previousNames { state.presentNames[previous] = name }
      let sharedName =
        previousNames.first { state.declarations[$0] != nil }
        ?? (state.presentNames[name] == nil ? nil : name)
      let other = state.declarations[name]
      var new = declaration
      if let other, other.type != declaration.type, declaration.isOfAnything { new = other }
      new.encodedDefault = declaration.encodedDefault ?? other?.encodedDefault
      if state.declarations.isEmpty { state.declarations = .withRoom }
      state.declarations[name] = new
      return (other, sharedName)
    }
  }

  func describe(_ name: String, as text: String) { state.withLock { $0.texts[name] = text } }

  func addMarked(_ key: any DeclaredKey) {
    let (old, handlers) = state.withLock { state in
      state.markedNames.formUnion(key.allNames)
      return (state.marked.updateValue(key, forKey: key.name), state.markHandlers)
    }
    guard old == nil, !handlers.isEmpty else { return }
    let ended = handlers.filter { !$0.value() }
    state.withLock { state in for id in ended.keys { state.markHandlers[id] = nil } }
  }

  /// Calls a handler after each later key with a label, until the handler returns false.
  func whenMarked(_ handler: @escaping @Sendable () -> Bool) {
    state.withLock { state in
      state.markHandlers[state.nextHandler] = handler
      state.nextHandler += 1
    }
  }

  func isMarked(_ name: String) -> Bool { state.withLock { $0.markedNames.contains(name) } }

  var marked: [any DeclaredKey] { Array(state.withLock { $0.marked }.values) }

  func about(_ name: String) -> String? { state.withLock { $0.texts[name] } }

  /// The name of any declared key; nil if there is none.
  var anyName: String? { state.withLock { $0.declarations.keys.first } }

  /// The default of a name, if it can be encoded.
  subscript(name: String) -> PropertyListValue? {
    state.withLock { $0.declarations[name]?.encodedDefault }?()
  }

  var all: [String: PropertyListValue] {
    state.withLock { $0.declarations }.compactMapValues { $0.encodedDefault?() }
  }

  /// Returns the rules for the values of a name. A key's rules also apply to its previous names.
  func rules(for name: String) -> KeyDeclaration.Rules? {
    state.withLock { state in
      let declarations = state.declarations
      return (declarations[name] ?? state.presentNames[name].flatMap { declarations[$0] })?.rules
    }
  }
}

/// The facts about a key for code that doesn't know its type.
struct KeyDeclaration: Sendable {
  struct Rules: Sendable {
    let limits: @Sendable () -> [Defaults.Limit]
    /// Throws the reason why an entry isn't allowed.
    let check: @Sendable (PropertyListValue) throws(SuiteError) -> Void
  }

  let type: any Any.Type
  let isSecret: Bool
  /// Encoded on demand; nil for a key without a constant default.
  var encodedDefault: (@Sendable () -> PropertyListValue?)?
  /// nil if every value of the type is allowed.
  let rules: Rules?
}

extension KeyDeclaration {
  /// Whether keys of the type accept any stored entry.
  var isOfAnything: Bool {
    let type = Self.unwrapped(type)
    return type == PropertyListValue.self || type == Defaults.AnySerializable.self
  }

  /// Returns the type or, for an optional, the wrapped type.
  static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type)?.wrapped ?? type
  }
}

/// Names whose values are redacted.
final class SecretNames: Sendable {
  /// The secret names of all suites, for descriptions without a known suite. A name that is secret
  /// in one suite is redacted in all.
  static let ofAll = SecretNames()

  /// The number of times that names were added in this process.
  static let changes = Atomic(0)

  private let names = Lock(Set<String>())

  var all: Set<String> { names.withLock { $0 } }

  func add(_ new: [String]) {
    let isNews = names.withLock { names in
      let count = names.count
      names.formUnion(new)
      return names.count > count
    }
    if isNews { Self.changes.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Returns whether a setting is secret, in any profile.
  func contains(_ name: String) -> Bool {
    let name = Defaults.settingName(of: name)
    return names.withLock { $0.contains(name) }
  }
}
