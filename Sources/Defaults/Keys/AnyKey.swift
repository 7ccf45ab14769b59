extension Defaults {
  /// The name and the suite of a setting, without the type of its value.
  ///
  /// Use it for lists and sets of keys with different types of values. Declare keys in an extension
  /// of `Defaults.Keys`, an alias of this class. You can then write them with a leading dot, as in
  /// `Defaults[.volume]`. Two keys with the same name and suite are the same setting and are equal,
  /// even if their types of values differ.
  public class AnyKey: KeyBase, @unchecked Sendable {
    // Unchecked, because the compiler can't check a class that has subclasses. All state here and
    // in `Key` is in constants of Sendable types, and `Key` is the only subclass, because the
    // initializer isn't public.
  }

  /// The name and the suite of a key.
  ///
  /// The properties are in a superclass of ``AnyKey`` so that keys may be called `name` and
  /// `suite`. A `static let name` in an extension hides an imported property of the class itself,
  /// but not a property of its superclass.
  public class KeyBase: CustomStringConvertible, CustomReflectable, @unchecked Sendable {
    // Unchecked for the same reason as `AnyKey`.

    /// The name under which the value is stored.
    public let name: String
    let place: KeySuite
    /// The suite object at the time of the declaration, which may be a view of the suite or of the
    /// suite of a scope.
    @usableFromInline let declaredSuite: ObjectIdentifier
    /// The previous names of the setting, the latest first.
    package let previousNames: [String]
    /// A one-line description of the setting; nil if the declaration has none.
    public let about: String?
    /// Whether the value is redacted; see ``Trait/secret``.
    public let isSecret: Bool
    /// The label of another product; nil if the declaration has none.
    package let mark: (any TraitMark)?

    init(
      name: String, previousNames: [String], place: KeySuite, about: String?, isSecret: Bool,
      mark: (any TraitMark)?
    ) {
      // `fatalError`, because an optimized build drops the message of a precondition.
      guard !name.isEmpty else { fatalError("the name of a key must not be empty") }
      guard !isReserved(name) else {
        fatalError(
          "\(escaped(name)) is reserved for an entry of the library; give the key another name")
      }
      // Writing the key would remove the library's entry.
      for previous in previousNames where previous.isEmpty || isReserved(previous) {
        let reason = previous.isEmpty ? "is empty" : "is reserved for an entry of the library"
        fatalError(
          "the previous name \"\(escaped(previous))\" of \"\(escaped(name))\" \(reason); "
            + "remove it from `.renamed(from:)`")
      }
      self.name = name
      // Writing a key removes the entries under its previous names, so its own name must not be
      // among them.
      self.previousNames =
        previousNames.contains(name) ? previousNames.filter { $0 != name } : previousNames
      self.place = place
      self.about = about
      self.isSecret = isSecret
      self.mark = mark
      declaredSuite = ObjectIdentifier(place.here)
      guard isSecret else { return }
      for names in [SecretNames.ofAll, place.defaults.secretNames] { names.add(allNames) }
    }

    package var allNames: [String] { [name] + previousNames }

    /// The name, the type, the current value and its location: `volume: Int = 5, in
    /// ~/.config/app/Defaults.plist`. Reading this property stores and reports nothing.
    public var description: String { "\(declaration), in \(Description.place(suite))" }

    /// The name; `Key` adds the type and the value.
    var declaration: String { escaped(name) }

    /// Whether the current value equals the default, even if the value is stored. Compares the
    /// encoded values.
    public var isDefaultValue: Bool { fatalError("Key overrides it") }

    /// Whether the setting has no default and must be set; see ``Key/required(_:suite:_:)``.
    public var isRequired: Bool { fatalError("Key overrides it") }

    /// Returns the reason that a program shouldn't start: the entry is invalid, or the setting is
    /// required and has no value.
    func startProblem(in suite: any Suite) -> SuiteError? { fatalError("Key overrides it") }

    /// Returns a copy of the declaration without its suite, for objects that the suite retains.
    /// `more` are further previous names.
    package func detached(addingPreviousNames more: [String] = []) -> AnyKey {
      fatalError("Key overrides it")
    }

    /// Returns the reason that an entry isn't a valid value of the key; nil if it is valid.
    package func problem(with entry: PropertyListValue) -> SuiteError? {
      fatalError("Key overrides it")
    }

    /// The shape of the values.
    var shape: Shape { fatalError("Key overrides it") }

    /// The part of the declaration that the suite keeps.
    var keyDeclaration: KeyDeclaration { fatalError("Key overrides it") }

    /// The name alone, because the value may be a secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// The suite that stores the value. For a key that was declared with `.standard`, it is the
    /// program's suite, or the suite that ``Defaults/withSuite(_:_:)`` uses instead in the current
    /// task.
    public var suite: any Suite { place.here }
  }

  /// The class to extend with declarations of keys: `extension Defaults.Keys { static let … }`.
  public typealias Keys = AnyKey
}

extension Defaults.KeyBase: DeclaredKey {}

extension Defaults.AnyKey: Hashable {
  /// Whether both keys mean the same setting: the same name in the same suite.
  public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
    left.name == right.name && left.place.identity == right.place.identity
  }

  /// Hashes the name and the suite.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(place.identity)
  }
}

/// The suite that a key was declared with: a suite of its own, or the program's, which
/// `Defaults.withSuite` can replace. Only this type knows what such a scope means for a key.
struct KeySuite: Sendable {
  /// nil for the program's suite.
  private let own: (any Defaults.Suite)?
  /// Identifies the suite; the program's suite has the same identity in every scope.
  let identity: ObjectIdentifier

  /// A suite in memory for keys without a suite; nothing is stored in it.
  static let none = KeySuite(Defaults.MemorySuite(label: "none"))

  init(_ suite: any Defaults.Suite) {
    let isOfProgram = (suite as? Defaults.PropertyListSuite)?.isStandard ?? false
    own = isOfProgram ? nil : suite
    identity = isOfProgram ? ProgramStorage.identity : suite.identity
  }

  /// The suite in the current task.
  var here: any Defaults.Suite { own ?? Defaults.PropertyListSuite.standard }

  /// Whether a scope replaces the suite in this task. Costs a load in a process without scopes.
  var isReplaced: Bool { own == nil && SuiteScope.current != nil }

  /// Returns whether a suite is the declared one and no scope replaces it.
  func isSame(as suite: any Defaults.Suite) -> Bool { suite.identity == identity && !isReplaced }

  /// Returns the suite's cell for a name, or a separate cell if the suite has none. If a scope
  /// replaces the program's suite, the program's suite isn't opened, and decoded values aren't
  /// cached.
  func cell(named name: String, orElse previousNames: [String]) -> Cell {
    isReplaced
      ? .unbound : here.stored?.table.cell(named: name, orElse: previousNames) ?? Cell()
  }

  var defaults: KeyDefaults { own?.support.defaultsOfKeys ?? .ofProgram }
}

extension Defaults.Suite {
  /// Whether the setting's values are redacted: its key is secret, or a secret layer gives it.
  package func isSecret(_ key: Defaults.KeyBase) -> Bool {
    key.isSecret || key.allNames.contains(where: support.isSecret)
  }
}

extension Defaults.AnyKey {
  /// Groups keys by suite, in the order in which the suites first appear.
  static func bySuite(
    _ keys: some Sequence<Defaults.AnyKey>
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

  /// Returns the suite of the keys, or the program's suite if their suites differ.
  package static func commonSuite(of keys: [Defaults.AnyKey]) -> any Defaults.Suite {
    let groups = bySuite(keys)
    return groups.count == 1 ? groups[0].suite : Defaults.PropertyListSuite.standard
  }
}
