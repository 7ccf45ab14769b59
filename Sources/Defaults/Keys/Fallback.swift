/// The default of a key, or what it has in place of one.
@usableFromInline
enum Fallback<Value: Sendable>: Sendable {
  case constant(Value)
  /// An optional key's nil. No default is registered.
  case unregistered(Value)
  case computed(@Sendable () -> Value)
  /// Stored when it is first needed.
  case initial(InitialValue<Value>)
  /// The last valid value in the key's own suite; there is no default.
  case required(Lock<Value?>)
  /// Unknown, because the key is detached from its suite.
  case unknown

  /// Whether the default may be computed or generated.
  @usableFromInline var isGenerated: Bool {
    switch self {
    case .constant, .computed, .initial: true
    case .unregistered, .required, .unknown: false
    }
  }
}

extension Fallback {
  /// A default value, which is constant or, with `.generatedOnce`, stored when it is first needed.
  @usableFromInline
  init(_ name: String, _ value: Value, _ traits: [Defaults.Trait<Value>]) {
    switch TraitLabels(traits).generation {
    case nil: self = .constant(value)
    case .once: self = .initial(InitialValue(constant: value))
    case .eachTime:
      fatalError(
        "the trait `.computed` of the key \"\(escaped(name))\" needs a closure; write "
          + "`Key(\"\(escaped(name))\") { … }` without the trait")
    }
  }

  /// A default value, which isn't registered if it is nil.
  @usableFromInline
  init<Wrapped>(
    _ name: String, optional value: Value, _ traits: [Defaults.Trait<Value>]
  ) where Value == Wrapped? {
    self.init(name, value, traits)
    if case .constant(nil) = self { self = .unregistered(nil) }
  }

  /// The initial value of a property. The traits determine whether it is constant, computed or
  /// stored.
  @usableFromInline
  init(_ value: @escaping @Sendable () -> Value, _ traits: [Defaults.Trait<Value>]) {
    switch TraitLabels(traits).generation {
    case nil: self = .constant(value())
    case .eachTime: self = .computed(value)
    case .once: self = .initial(InitialValue(value))
    }
  }

  /// A default that a closure computes.
  @usableFromInline
  init(computing value: @escaping @Sendable () -> Value, _ traits: [Defaults.Trait<Value>]) {
    let isGenerated = TraitLabels(traits).generation == .once
    self = isGenerated ? .initial(InitialValue(value)) : .computed(value)
  }
}

/// The value that a setting gets when it is first needed, and then keeps.
@usableFromInline
final class InitialValue<Value: Sendable>: Sendable {
  /// The value, if it was known when the key was declared.
  let constant: Value?
  private let compute: @Sendable () -> Value
  /// Computed, but not stored yet.
  private let pending = Lock(Value?.none)

  @usableFromInline
  init(_ compute: @escaping @Sendable () -> Value) {
    constant = nil
    self.compute = compute
  }

  init(constant value: Value) {
    constant = .some(value)
    compute = { value }
  }

  /// The value to store next. It stays the same until a read, a set or an update stored a value.
  var candidate: Value {
    if let value = pending.withLock({ $0 }) { return value }
    // Outside of the lock, because the closure may read other settings.
    let value = compute()
    return pending.withLock { pending in
      if let earlier = pending { return earlier }
      pending = value
      return value
    }
  }

  /// Discards the candidate after a value was stored, so that after a removal it is computed again.
  func forgetCandidate() { pending.replace(with: nil) }

  /// Discards the candidate and stores another value; restores the candidate if storing throws.
  ///
  /// The candidate is discarded first, since handlers run while the value is stored: they may
  /// remove it and read the next candidate.
  func replacingCandidate(_ store: () throws(SuiteError) -> Void) throws(SuiteError) {
    let candidate = pending.withLock { pending in
      defer { pending = nil }
      return pending
    }
    do throws(SuiteError) {
      try store()
    } catch {
      pending.withLock { $0 = $0 ?? candidate }
      throw error
    }
  }
}
