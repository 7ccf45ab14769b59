extension Defaults {
  /// One committed change of a suite: a write, an update, a transaction, or what another program
  /// did.
  public struct Change: Sendable {
    /// Who made a change.
    public enum Source: Sendable, Hashable {
      /// This process, through the suite.
      case local
      /// Another process; in a suite of layers, also a layer that isn't written through the suite.
      case external
    }

    /// An entry before and after; nil where there is none.
    public struct Entry: Sendable, Hashable {
      /// The entry before the change.
      public let old: PropertyListValue?
      /// The entry after it.
      public let new: PropertyListValue?

      /// An entry's two states.
      public init(old: PropertyListValue?, new: PropertyListValue?) {
        self.old = old
        self.new = new
      }
    }

    /// The changed entries by name; an observer of some names gets those alone.
    public internal(set) var entries: [String: Entry]
    /// Who made the change.
    public let source: Source
    /// The mark of the writer in this process who set one; see ``Defaults/withOrigin(_:_:)``.
    public internal(set) var origin: String?
    /// What the change comes from, in a suite that is made of layers: the name of the layer that has
    /// changed, which is the writable one for a set. nil in other suites.
    public internal(set) var layer: String?
    var kind = Kind.made

    /// What an event about a change says.
    enum Kind: Sendable {
      /// The change was made.
      case made
      /// The same, delivered earlier, to observers that asked for it.
      case announced
      /// Nothing changed yet: these are the entries that an observer begins with.
      case initial
      /// The change was made in ``Defaults/withoutPropagation(_:)``; only for observers that
      /// compute something from all changes.
      case silent
    }

    /// Whether this announces the change, for observers that asked for
    /// ``ObservationOptions/prior``.
    public var isPrior: Bool { kind == .announced }
    /// Whether nothing changed yet: the first event of an observer that asked for
    /// ``ObservationOptions/initial``. Old and new are then the same.
    public var isInitial: Bool { kind == .initial }

    /// A change of these entries, with the mark that local changes have here and now.
    public init(_ entries: [String: Entry], source: Source = .local) {
      self.entries = entries
      self.source = source
      origin = source == .local ? TaskContext.current.origin : nil
    }

    /// The names of the changed entries, in no order.
    public var names: Set<String> { Set(entries.keys) }
  }
}

extension Defaults.Change {
  /// The first event of an observer of these entries.
  static func initial(_ entries: [String: PropertyListValue?]) -> Self {
    var change = Self(entries.mapValues { Entry(old: $0, new: $0) })
    change.kind = .initial
    change.origin = nil
    return change
  }

  /// The change as an observer of some names sees it; nil stands for all names.
  func restricted(to names: Set<String>?) -> Self {
    guard let names, entries.count > 1 else { return self }
    var change = self
    change.entries = entries.filter { names.contains($0.key) }
    return change
  }

  /// The event that comes before the change's own.
  var announced: Self {
    var change = self
    change.kind = .announced
    return change
  }
}
