extension Defaults {
  /// What happens to one entry: it is set, or it is removed.
  public enum Edit: Sendable, Hashable {
    /// The entry becomes this value.
    case set(PropertyListValue)
    /// The entry goes; reading its name gives the default again.
    case remove

    /// The edit that leaves this entry behind, or none if it is nil.
    init(entry: PropertyListValue?) {
      self = entry.map(Edit.set) ?? .remove
    }

    /// The entry that the edit leaves behind; nil for `remove`.
    public var entry: PropertyListValue? {
      switch self {
      case .set(let value): value
      case .remove: nil
      }
    }
  }
}
