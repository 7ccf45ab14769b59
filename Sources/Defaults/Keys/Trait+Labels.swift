// The traits that apply to settings of every type.

extension Defaults.Trait {
  /// Declares the previous names of the setting, the latest first.
  ///
  /// If there is no entry under the setting's own name, reading and observing use the entry under
  /// the first of these names that has one. Reading leaves the entry in place; setting and
  /// resetting the setting remove the entries under previous names.
  ///
  /// Access by name ignores previous names. Two settings with the same previous name both read its
  /// entry until one of them is set, which removes the entry: split or join settings by a
  /// ``Migration``. The current name of another setting must not be a previous name, because its
  /// entry would be removed; the suite reports `conflictingDeclarations`.
  @_alwaysEmitIntoClient
  public static func renamed(from name: String, _ older: String...) -> Self {
    Self(.label(.renamed([name] + older)))
  }

  /// Evaluates the initial value of a property whenever it is needed, and doesn't register it.
  ///
  /// The expression is evaluated on the thread that reads the setting, so it can't use state of the
  /// main actor. A key takes a closure instead: `Key("since") { Date() }`. A key with this trait
  /// and a constant default traps.
  ///
  /// ```swift
  /// @Stored(.computed) var since = Date()
  /// ```
  @_alwaysEmitIntoClient
  public static var computed: Self { Self(.label(.generation(.eachTime))) }

  /// Stores the default when it is first needed, so that it stays the same when the program's
  /// default changes.
  ///
  /// Reading or observing the setting stores the default, which takes as long as a setter. If
  /// several threads or processes read it at the same time, one of them stores its value, and all
  /// of them get that value. A new default is generated only after a reset. Inside a transaction,
  /// or if another transaction takes more than a tenth of a second, a read returns the value
  /// without storing it, and a later read stores it.
  ///
  /// ```swift
  /// static let installation = Key("installation", .generatedOnce) { UUID() }
  /// ```
  @_alwaysEmitIntoClient
  public static var generatedOnce: Self { Self(.label(.generation(.once))) }

  package init(mark: any TraitMark) { self.init(.label(.mark(mark))) }
}

/// The content of a trait that applies to settings of every type.
@usableFromInline
enum TraitLabel: Sendable {
  /// When the default is evaluated, if not at the declaration.
  @usableFromInline
  enum Generation: Sendable {
    case eachTime
    case once
  }

  case about(String)
  case secret
  case renamed([String])
  case generation(Generation)
  case mark(any TraitMark)
}

/// A label of another product, such as the label of a synced setting.
@usableFromInline package protocol TraitMark: AnyObject, Sendable {}

/// The labels of all traits of a declaration.
struct TraitLabels {
  private(set) var about: String?
  private(set) var isSecret = false
  private(set) var previousNames: [String] = []
  private(set) var generation: TraitLabel.Generation?
  private(set) var mark: (any TraitMark)?

  init<Value>(_ traits: [Defaults.Trait<Value>]) {
    // Not lazily: in generic code, that makes Swift search all libraries of the process.
    for trait in traits {
      guard case .label(let label) = trait.content else { continue }
      switch label {
      case .about(let text): about = text
      case .secret: isSecret = true
      case .renamed(let names): previousNames += names
      // `.generatedOnce` prevails: a value that is stored is computed just once.
      case .generation(let kind): generation = generation == .once ? .once : kind
      case .mark(let label): mark = label
      }
    }
  }
}
