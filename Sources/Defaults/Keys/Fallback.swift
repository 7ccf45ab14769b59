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
  /// Computed, but not stored yet; at most one for each suite.
  private let candidates = Lock([Candidate]())

  private struct Candidate {
    let identifier: ObjectIdentifier
    /// The cell of the name in the suite. Weak, since the key may outlive the suite.
    weak var cell: Cell?
    let generation: UInt64
    let value: Value

    /// Whether the entry hasn't changed since the value was computed.
    var isCurrent: Bool { cell?.present.generation == generation }
  }

  @usableFromInline
  init(_ compute: @escaping @Sendable () -> Value) {
    constant = nil
    self.compute = compute
  }

  init(constant value: Value) {
    constant = .some(value)
    compute = { value }
  }

  /// Returns the value to store next in a suite, whose cell for the name is given. It stays the
  /// same until the entry changes, and so isn't used again after a value was stored.
  func candidate(for cell: Cell) -> Value {
    let identifier = ObjectIdentifier(cell)
    // Other candidates aren't examined here, since that could release their cells under the lock.
    func known(_ candidates: [Candidate]) -> Value? {
      candidates.first { $0.identifier == identifier && $0.isCurrent }?.value
    }
    if let value = candidates.withLock({ known($0) }) { return value }
    let generation = cell.present.generation
    // Outside of the lock, because the closure may read other settings.
    let value = compute()
    // The old candidates and their cells are released outside of the lock.
    let (result, old) = candidates.withLock { candidates in
      let old = candidates.map { ($0, $0.cell) }
      if let earlier = known(candidates) { return (earlier, old) }
      candidates.removeAll { !$0.isCurrent }
      candidates.append(
        Candidate(identifier: identifier, cell: cell, generation: generation, value: value))
      return (value, old)
    }
    withExtendedLifetime(old) {}
    return result
  }
}
