extension Defaults {
  /// A running observation: it lasts until it is invalidated, released, or what it is tied to dies.
  ///
  /// Keep the token for as long as you want events, or tie it to an object:
  ///
  /// ```swift
  /// Defaults.observe(.isUnicornMode) { [weak self] change in
  ///   self?.update(change.newValue)
  /// }.tieToLifetime(of: self)
  /// ```
  ///
  /// All methods may be called from any thread, also from inside the observation's own handler.
  public protocol Observation: AnyObject, Sendable {
    /// Ends the observation: no handler starts after this returns on the same thread, and the
    /// closure with what it captured is released. A handler that is running on another thread runs
    /// to its end. Calling it again does nothing.
    func invalidate()

    /// Keeps the observation, and its token, for as long as, and no longer than, an object lives.
    /// A second call moves the tie to another object.
    ///
    /// The object isn't retained. Nothing tells when it dies: no handler starts after that, but the
    /// closure is released with the next event, or when later observations begin.
    @discardableResult
    func tieToLifetime(of owner: AnyObject) -> Self

    /// Undoes ``tieToLifetime(of:)``: the token decides again. If the object has died already, so
    /// has the observation.
    func removeLifetimeTie()
  }

  /// What an observation reports besides changes.
  public struct ObservationOptions: OptionSet, Sendable {
    /// The bits.
    @_documentation(visibility: internal)
    public let rawValue: Int
    /// Options of these bits.
    @_documentation(visibility: internal)
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// One event with the present value at the start. Without contention the handler has run when
    /// `observe` returns, unless it belongs to an actor that the caller isn't on, or a transaction
    /// of another suite is running on this thread; it comes before every change made later, and
    /// knows every change made before.
    public static let initial = Self(rawValue: 1 << 0)

    /// Each change twice, the first time with `isPrior` set. Handlers run after the commit, so both
    /// events know the old and the new value, and reading the key gives the new one; all prior
    /// events of a change are delivered before the first of its own.
    public static let prior = Self(rawValue: 1 << 1)

    /// Silent changes, too, for an observer that computes something from all changes.
    package static let silent = Self(rawValue: 1 << 62)
  }
}

/// An observation that a tie can keep alive as a part of another one.
protocol TiedObservation: Defaults.Observation {
  /// Ties the observation to the lifetime of an object, and keeps `token` for as long.
  func tie(to owner: AnyObject, keeping token: any Defaults.Observation)
}

extension TiedObservation {
  @discardableResult
  func tieToLifetime(of owner: AnyObject) -> Self {
    tie(to: owner, keeping: self)
    return self
  }
}

/// The token of observations in several suites; releasing it releases them.
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
