extension Defaults {
  /// A property that is a setting, in a type of any kind, and that the Observation framework
  /// tracks.
  ///
  /// Inside of an `@Observable` class it stands beside `@ObservationIgnored`, which keeps the macro
  /// from making a stored property of it:
  ///
  /// ```swift
  /// @Observable
  /// final class UnicornManager {
  ///   @ObservableDefault(.hasUnicorn)
  ///   @ObservationIgnored
  ///   var hasUnicorn: Bool
  /// }
  /// ```
  ///
  /// It reads and writes what `Defaults[.hasUnicorn]` does. `withObservationTracking` and
  /// `Observations` hear of each change of the setting, whoever made it: this property, `Defaults`,
  /// or another process; after the change, on the thread that delivers it, outside of every lock.
  /// The projected value is the key: `Defaults.reset(manager.$hasUnicorn)`.
  ///
  /// A class that is `Sendable` can't have it as an attribute, since whatever has an attribute is
  /// variable to the compiler. There it is a constant, `let hasUnicorn =
  /// ObservableDefault(.hasUnicorn)`, read and written by `hasUnicorn.wrappedValue`; in a class of
  /// the main actor the attribute works.
  @propertyWrapper
  public struct ObservableDefault<Value: Sendable>: Sendable {
    @usableFromInline let tracked: TrackedKey<Value>

    /// A property that is the setting of a key, in the key's suite.
    @inlinable
    public init(_ key: Key<Value>) {
      tracked = TrackedKey(key)
    }

    /// The value of the setting; reading it is tracked.
    @inlinable
    public var wrappedValue: Value {
      get { tracked.value }
      nonmutating set { tracked.value = newValue }
    }

    /// The key.
    public var projectedValue: Key<Value> { tracked.key }
  }
}

/// A property that is a setting; the short name of ``Defaults/ObservableDefault``.
public typealias ObservableDefault<Value: Sendable> = Defaults.ObservableDefault<Value>
