extension Defaults {
  /// A token of an observation. The observation ends when it is invalidated, when the token is
  /// released, or when the object that it is tied to is released.
  ///
  /// Keep the token for as long as you want events, or tie it to an object. Otherwise, as in `_ =
  /// Defaults.observe(…)`, the observation ends at once:
  ///
  /// ```swift
  /// Defaults.observe(.isUnicornMode) { [weak self] change in
  ///   self?.update(change.newValue)
  /// }.tieToLifetime(of: self)
  /// ```
  ///
  /// All methods may be called from any thread, even in the observation's own handler.
  public protocol Observation: AnyObject, Sendable {
    /// Ends the observation and releases the closure. Afterwards, no handler starts on this thread;
    /// a handler that is running on another thread finishes. A second call has no effect.
    func invalidate()

    /// Keeps the observation and its token until the object is released. A second call moves the
    /// tie to another object.
    ///
    /// The object is retained only while the handler runs, so the handler must capture it weakly.
    /// After the object is released, no handler starts. The closure is released with the next event
    /// or when later observations begin.
    ///
    /// - Parameter owner: The object that determines the lifetime.
    /// - Returns: The observation itself.
    @discardableResult
    func tieToLifetime(of owner: AnyObject) -> Self

    /// Undoes ``tieToLifetime(of:)``: the observation lasts as long as its token. If the object was
    /// already released, the observation has ended.
    func removeLifetimeTie()
  }

  /// The options for the events of an observation.
  public struct ObservationOptions: OptionSet, Sendable {
    /// The bits.
    @_documentation(visibility: internal)
    public let rawValue: Int
    /// Creates options from their bits.
    @_documentation(visibility: internal)
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Requests an event with the current value at the start, before all later changes. The handler
    /// has run when `observe` returns, except under contention, with a handler on another actor,
    /// inside of a handler of the same suite, and in a transaction of another suite on this thread.
    public static let initial = Self(rawValue: 1 << 0)

    /// Requests two events per change, the first with `isPrior` set. Both are delivered after the
    /// commit and have the old and the new value; reading the key gives the new value. The prior
    /// events of a change are delivered to all observers before the second events.
    public static let prior = Self(rawValue: 1 << 1)

    /// Requests silent changes, too, for an observer that derives something from all changes.
    package static let silent = Self(rawValue: 1 << 62)

    /// Requests that the handler runs in the scope of the delivering task, for an observer that has
    /// no scope of its own. The observer doesn't retain the scope in which it began.
    static let deliveringScope = Self(rawValue: 1 << 61)
  }
}

/// An observation that can be tied to an object as a part of another observation.
protocol TiedObservation: Defaults.Observation {
  /// Ties the observation to the lifetime of an object, for which `token` is also kept.
  func tie(to owner: AnyObject, keeping token: any Defaults.Observation)
}

extension TiedObservation {
  @discardableResult
  func tieToLifetime(of owner: AnyObject) -> Self {
    tie(to: owner, keeping: self)
    return self
  }
}

/// The token of observations in several suites. Releasing it releases them.
final class ObservationGroup: TiedObservation {
  private let members: [any Defaults.Observation]

  init(_ members: [any Defaults.Observation]) { self.members = members }

  func invalidate() { for member in members { member.invalidate() } }

  func tie(to owner: AnyObject, keeping token: any Defaults.Observation) {
    for member in members {
      if let member = member as? any TiedObservation {
        member.tie(to: owner, keeping: token)
      } else {
        member.tieToLifetime(of: owner)
      }
    }
  }

  func removeLifetimeTie() { for member in members { member.removeLifetimeTie() } }
}
