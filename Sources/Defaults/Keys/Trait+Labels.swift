// The traits that need no type: what they say is the same of every setting.

extension Defaults.Trait {
  /// The names that the setting had before, the latest first.
  ///
  /// Where there is no entry under the setting's own name, reading and observing it find the one
  /// under the first of these names that has one. Reading leaves it there; setting and resetting the
  /// setting remove what is stored under previous names.
  ///
  /// Access by name means exactly that name. Of two settings that had one name both read the entry
  /// until one of them is set, which removes it: split or join settings by a ``Migration``. The
  /// current name of another setting must not be a previous name, for its entry would be removed.
  @_alwaysEmitIntoClient
  public static func renamed(from name: String, _ older: String...) -> Self {
    Self(.label(.renamed([name] + older)))
  }

  /// Evaluates the initial value of a property whenever it is needed, and doesn't register it.
  ///
  /// The expression is evaluated on whatever thread reads, so it can't use what belongs to the main
  /// actor. A key takes a closure instead: `Key("since") { Date() }`; with this trait and a plain
  /// default it traps.
  ///
  /// ```swift
  /// @Stored(.computed) var since = Date()
  /// ```
  @_alwaysEmitIntoClient
  public static var computed: Self { Self(.label(.generation(.eachTime))) }

  /// Stores the default when it is needed first, so that it stays when the program's default
  /// changes.
  ///
  /// Reading or observing stores it, which takes as long as a setter. Of all threads and processes
  /// that come at once one stores its value, and all get that. The default is needed again only
  /// after a reset. In a transaction, or after a tenth of a second beside one, a read gives the value
  /// and leaves storing it to a later one.
  ///
  /// ```swift
  /// static let installation = Key("installation", .generatedOnce) { UUID() }
  /// ```
  @_alwaysEmitIntoClient
  public static var generatedOnce: Self { Self(.label(.generation(.once))) }
}

/// What all traits of a declaration say, their rules excepted.
struct TraitLabels {
  private(set) var about: String?
  private(set) var isSecret = false
  private(set) var previousNames: [String] = []
  private(set) var generation: TraitLabel.Generation?

  init<Value>(_ traits: [Defaults.Trait<Value>]) {
    for case .label(let label) in traits.lazy.map(\.content) {
      switch label {
      case .about(let text): about = text
      case .secret: isSecret = true
      case .renamed(let names): previousNames += names
      // A value that is stored is computed just once.
      case .generation(let kind): generation = generation == .once ? .once : kind
      }
    }
  }
}
