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
  }

  /// The name and the suite of a key.
  ///
  /// They are here and not in ``AnyKey``, so that keys may be called `name` and `suite`: in the
  /// module that declares `static let name` in an extension of a class, the name no longer finds an
  /// imported property of that very class, static or not, but does find one of its superclass.
  public class KeyBase: CustomStringConvertible, CustomReflectable, @unchecked Sendable {
    // Unchecked as `AnyKey` is, and for the same reason.

    /// The name under which the value is stored.
    public let name: String
    /// The suite that it was declared with.
    let place: KeySuite
    /// The object that was its suite when it was made: perhaps a view of the suite, or of a
    /// scope's.
    @usableFromInline let declaredSuite: ObjectIdentifier
    /// The names under which the value was stored before, the latest first.
    let previousNames: [String]
    /// What the setting is for, in a line; nil where the declaration doesn't say.
    public let about: String?
    /// Whether the value is shown to nobody who doesn't ask for it; see ``Trait/secret``.
    public let isSecret: Bool

    init(
      name: String, previousNames: [String], place: KeySuite, about: String?, isSecret: Bool
    ) {
      // Not a precondition, which traps without its sentence in an optimized build.
      guard !name.isEmpty else { fatalError("the name of a key must not be empty") }
      guard !isReserved(name) else {
        fatalError(
          "\(escaped(name)) is the name of an entry of the library's own; give the key another one")
      }
      self.name = name
      // Its own name is none of them: writing the key would remove what it wrote.
      self.previousNames =
        previousNames.contains(name) ? previousNames.filter { $0 != name } : previousNames
      self.place = place
      self.about = about
      self.isSecret = isSecret
      declaredSuite = ObjectIdentifier(place.here)
      guard isSecret else { return }
      for names in [SecretNames.ofAll, place.defaults.secretNames] { names.add(allNames) }
    }

    /// The present name and the previous ones.
    package var allNames: [String] { [name] + previousNames }

    /// The name, the type, the present value, and where that is kept:
    /// `volume: Int = 5, in ~/.config/app/Defaults.plist`. Stores and reports nothing.
    public var description: String { "\(declaration), in \(Description.place(suite))" }

    /// The name, and what `Key` knows of the value.
    var declaration: String { escaped(name) }

    /// Whether reading gives the default value now, stored or not; compares the encoded values.
    public var isDefaultValue: Bool { fatalError("Key does it") }

    /// The same declaration in no suite, for somebody whom the suite holds.
    package var detached: AnyKey { fatalError("Key does it") }

    /// Why an entry isn't a value that the key allows; nil if it is.
    package func problem(with entry: PropertyListValue) -> SuiteError? {
      fatalError("Key does it")
    }

    /// What the key tells its suite of the setting.
    var keyDeclaration: KeyDeclaration { fatalError("Key does it") }

    /// What a change of the suite's entries is to the key; nil if nothing, as where the entry is
    /// another one of the same value.
    func news(in change: Change, of suite: any Suite) -> KeyNews? { fatalError("Key does it") }

    /// The name, and nothing of the value, which may be a secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// The suite that it is stored in; for one that was declared with `.standard`, what that is
    /// here and now: see ``Defaults/withSuite(_:_:)``.
    public var suite: any Suite { place.here }
  }

  /// Where keys are declared: `extension Defaults.Keys { static let … }`.
  public typealias Keys = AnyKey
}

extension Defaults.KeyBase: DeclaredKey {}

extension Defaults.AnyKey: Hashable {
  /// Whether both are the same setting: the same name in the same suite.
  public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
    left.name == right.name && left.place.identity == right.place.identity
  }

  /// Feeds name and suite to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(place.identity)
  }
}

/// The suite that a key was declared with: one of its own, or the program's, in whose place
/// `Defaults.withSuite` puts another one. What such a scope means to a key is said here alone.
struct KeySuite: Sendable {
  /// nil for the program's.
  private let own: (any Defaults.Suite)?
  /// Tells equal suites; the program's is the same in every scope.
  let identity: ObjectIdentifier

  /// No suite: one in memory, which nothing is stored in.
  static let none = KeySuite(Defaults.MemorySuite(label: "none"))

  init(_ suite: any Defaults.Suite) {
    let isOfProgram = (suite as? Defaults.PropertyListSuite)?.isStandard ?? false
    own = isOfProgram ? nil : suite
    identity = isOfProgram ? ProgramStorage.identity : suite.identity
  }

  /// What the suite is in this task.
  var here: any Defaults.Suite { own ?? Defaults.PropertyListSuite.standard }

  /// Whether another suite stands in for it in this task. Costs a load in a process without scopes.
  var isReplaced: Bool { own == nil && SuiteScope.current != nil }

  /// Whether a suite is the one that was declared, with no other in its place.
  func isSame(as suite: any Defaults.Suite) -> Bool {
    suite.identity == identity && !isReplaced
  }

  /// The suite's cell of a name, or one of no suite if the suite has no cells. Where another suite
  /// stands in for the program's, that isn't opened, and what is decoded isn't kept.
  func cell(named name: String, orElse previousNames: [String]) -> Cell {
    isReplaced
      ? .unbound : here.stored?.table.cell(named: name, orElse: previousNames) ?? Cell()
  }

  /// Where keys register their defaults.
  var defaults: KeyDefaults { own?.support.defaultsOfKeys ?? .ofProgram }
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

/// What a change of its entry is to a key.
enum KeyNews {
  /// The value is the same as before: a problem has come, or is gone.
  case problem
  case value
}
