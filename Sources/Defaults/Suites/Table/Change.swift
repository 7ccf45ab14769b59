extension Defaults {
  /// One committed change of a suite: a write, an update, a transaction, or a change by another
  /// program.
  public struct Change: Sendable {
    /// The source of a change.
    public enum Source: Sendable, Hashable {
      /// This process, through the suite.
      case local
      /// Another process; in a suite of layers, also a layer that isn't written through the suite.
      case external
    }

    /// An entry before and after a change; nil if it doesn't exist.
    public struct Entry: Sendable, Hashable {
      /// The entry before the change.
      public let old: PropertyListValue?
      /// The entry after the change.
      public let new: PropertyListValue?

      /// Creates the two states of an entry.
      public init(old: PropertyListValue?, new: PropertyListValue?) {
        self.old = old
        self.new = new
      }
    }

    /// The changed entries by name, restricted to the names that the observer has requested.
    public internal(set) var entries: [String: Entry]
    /// The source of the change.
    public let source: Source
    /// The origin that the writer in this process has set; see ``Defaults/withOrigin(_:_:)``.
    public internal(set) var origin: String?
    /// The name of the changed layer, which is the writable layer if a setter made the change; nil
    /// if the suite doesn't consist of layers.
    public internal(set) var layer: String?
    var kind = Kind.made
    /// Whether the first read of a key stored its value, which is generated once.
    package let isInitialValue: Bool

    enum Kind: Sendable {
      case made
      /// An event before `made`, for observers that request it. The change was already made.
      case announced
      /// No change: the entries at the start of an observation.
      case initial
      /// The change was made in ``Defaults/withoutPropagation(_:)``. Delivered only to observers
      /// that derive something from all changes.
      case silent
    }

    /// Whether this is the first of two events, for observers with ``ObservationOptions/prior``.
    public var isPrior: Bool { kind == .announced }
    /// Whether this is the first event of an observer with ``ObservationOptions/initial``. The old
    /// and new entries are then equal.
    public var isInitial: Bool { kind == .initial }

    /// Creates a change of these entries. A local change has the origin of the current task.
    public init(_ entries: [String: Entry], source: Source = .local) {
      self.entries = entries
      let context = source == .local ? TaskContext.current : nil
      self.source = context?.isOfOtherDevice == true ? .external : source
      origin = context?.origin
      isInitialValue = context?.isStoringInitialValue == true
    }

    /// The unordered names of the changed entries.
    public var names: Set<String> { Set(entries.keys) }
  }
}

extension Defaults.Change {
  /// Returns the first event of an observer of these entries.
  static func initial(_ entries: [String: PropertyListValue?]) -> Self {
    var change = Self(entries.mapValues { Entry(old: $0, new: $0) })
    change.kind = .initial
    change.origin = nil
    return change
  }

  /// Returns the change for an observer of some names; nil means all names.
  func restricted(to names: Set<String>?) -> Self {
    guard let names, entries.count > 1 else { return self }
    var change = self
    // Many observers of one name each may receive a change of many entries.
    if names.count < entries.count {
      change.entries = [:]
      for name in names { change.entries[name] = entries[name] }
    } else {
      change.entries = entries.filter { names.contains($0.key) }
    }
    return change
  }
}
