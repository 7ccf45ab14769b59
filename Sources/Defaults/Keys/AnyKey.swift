extension Defaults {
  /// A key of any type: the name of a setting, and the suite that it is kept in.
  ///
  /// Keys are declared in an extension of `Defaults.Keys`, which is this class, so that they can be
  /// written with a leading dot. Two keys with the same name and suite are equal, and the same
  /// setting, whatever their types.
  public class AnyKey: KeyBase, @unchecked Sendable {
    // Unchecked because classes that are inherited from can't be checked: all state here and in
    // `Key` is in constants of Sendable types, and `Key` is the only subclass, since the
    // initializer isn't public.

    @usableFromInline let identity: ObjectIdentifier
    /// The object that it was made with: perhaps a view of the suite, or of a scope's.
    @usableFromInline let declaredSuite: ObjectIdentifier

    init(name: String, previousNames: [String], suite: any Suite) {
      // Not a precondition, which traps without its sentence in an optimized build.
      guard !name.isEmpty else { fatalError("the name of a key must not be empty") }
      guard !isReserved(name) else {
        fatalError("\(name) is the name of an entry of the library's own; give the key another one")
      }
      declaredSuite = ObjectIdentifier(suite)
      let isOfProgram = (suite as? PropertyListSuite)?.isStandard ?? false
      identity = isOfProgram ? ProgramStorage.identity : suite.identity
      super.init(name: name, previousNames: previousNames, ownSuite: isOfProgram ? nil : suite)
    }
  }

  /// The name and the suite of a key.
  ///
  /// They are here and not in ``AnyKey``, so that keys may be called `name` and `suite`: in the
  /// module that declares `static let name` in an extension of a class, the name no longer finds an
  /// imported property of that very class, static or not, but does find one of its superclass.
  public class KeyBase: @unchecked Sendable {
    // Unchecked as `AnyKey` is, and for the same reason.

    /// The name under which the value is stored.
    public let name: String
    /// The suite that it was declared with; nil for `.standard`, which a scope can change.
    @usableFromInline let ownSuite: (any Suite)?

    /// The names under which the value was stored before, the latest first.
    let previousNames: [String]

    init(name: String, previousNames: [String], ownSuite: (any Suite)?) {
      self.name = name
      // Its own name is none of them: writing the key would remove what it wrote.
      self.previousNames =
        previousNames.contains(name) ? previousNames.filter { $0 != name } : previousNames
      self.ownSuite = ownSuite
    }

    /// The suite that it is stored in; for one that was declared with `.standard`, what that is
    /// here and now: see ``Defaults/withSuite(_:_:)``.
    public var suite: any Suite { ownSuite ?? PropertyListSuite.standard }

    /// Removes the stored entry, so that the key has its default value again; entries under
    /// previous names, too.
    public func reset() { write(.remove, in: suite) }
  }

  /// Where keys are declared: `extension Defaults.Keys { static let … }`.
  public typealias Keys = AnyKey
}

extension Defaults.AnyKey {
  /// A key of a type, by its short name inside of `extension Defaults.Keys`.
  public typealias Key = Defaults.Key
  /// The older spelling of a key with an optional value.
  public typealias OptionalKey<Value: Sendable> = Defaults.OptionalKey<Value>
  /// The older spelling of a key with an archived value.
  public typealias NSSecureCodingKey<Value: Sendable> = Defaults.NSSecureCodingKey<Value>
  /// The older spelling of a key with an optional, archived value.
  public typealias NSSecureCodingOptionalKey<Value: Sendable> =
    Defaults.NSSecureCodingOptionalKey<Value>
}

extension Defaults.AnyKey: Hashable {
  /// Whether both are the same setting: the same name in the same suite.
  public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
    left.name == right.name && left.identity == right.identity
  }

  /// Feeds name and suite to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(identity)
  }
}

extension Defaults.AnyKey {
  /// Some keys by their suites, in the order in which these appear.
  static func bySuite(
    _ keys: [Defaults.AnyKey]
  ) -> [(suite: any Defaults.Suite, keys: [Defaults.AnyKey])] {
    var groups: [(suite: any Defaults.Suite, keys: [Defaults.AnyKey])] = []
    for key in keys {
      let suite = key.suite
      if let index = groups.firstIndex(where: { $0.suite.identity == suite.identity }) {
        groups[index].keys.append(key)
      } else {
        groups.append((suite, [key]))
      }
    }
    return groups
  }
}
