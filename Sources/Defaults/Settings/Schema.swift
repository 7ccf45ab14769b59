extension Defaults {
  /// A struct whose properties are settings.
  ///
  /// ```swift
  /// struct Preferences: Defaults.Schema {
  ///   @Stored var volume = 5
  ///   @Stored var nickname: String?
  ///   @Stored("other-name") var title = "x"
  /// }
  ///
  /// let preferences = Preferences(suite: .standard)
  /// preferences.volume += 1
  /// ```
  ///
  /// Make one by ``init(suite:namePrefix:)``: it is then bound to a suite, so that tests and
  /// previews can give it another one. One that was made by `init()` traps when a setting of it is
  /// used. Copies are the same settings; a setter needs no variable. It is `Sendable`, and costs a
  /// microsecond or two: the names of the properties are found by reflection once per type. What
  /// one instance has decoded another one decodes again, so keep it where there is a place for it.
  ///
  /// Each setting is the same as that of a key with its name in the suite: `Defaults[.volume]` sees
  /// what `preferences.volume` writes. The Observation framework tracks each property by itself:
  /// `withObservationTracking` and `Observations` hear of changes made here, by a key, or by
  /// another process; after the change, on the thread that delivers it, outside of every lock. As
  /// with any type that is observed, a change by another thread that falls between a read and the
  /// end of the closure it is in may be missed; `Defaults.updates` misses none.
  ///
  /// A property that is itself a schema is a group, made by its `init()`: its settings have the
  /// property's name and a dot before theirs, or the group's own ``StoredProperties/namePrefix``.
  /// The defaults are the initial values; those of a bundle, see
  /// ``Suite/register(defaultsFrom:resource:)``, win over them.
  public protocol Schema: StoredProperties, Sendable {
    /// A schema that isn't bound; it is there if all properties have initial values.
    init()
  }
}

extension Defaults.Schema {
  /// Nothing.
  public static var namePrefix: String { "" }

  /// The settings of a suite, each by the name of its property behind the prefix.
  public init(suite: some Defaults.Suite = .standard, namePrefix: String = Self.namePrefix) {
    self.init()
    SchemaLayout.forEachBox(of: self) { box, group, name in
      box.bind(to: StoredPlace(suite: suite, prefix: namePrefix + group, ownName: name))
    }
  }
}
