extension Defaults {
  /// A property, in a type of any kind, that is a setting tracked by the Observation framework.
  ///
  /// Inside an `@Observable` class, add `@ObservationIgnored`, so that the macro doesn't make a
  /// stored property of it:
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
  /// It reads and writes the same entry as `Defaults[.hasUnicorn]`. `withObservationTracking` and
  /// `Observations` are notified of each change through this property, through `Defaults`, or by
  /// another process. The notification comes after the change, on the delivering thread, outside of
  /// every lock. The projected value is the key: `Defaults.reset(manager.$hasUnicorn)`.
  ///
  /// A class that is `Sendable` can't have the attribute, because the compiler treats a property
  /// with an attribute as a variable. Declare a constant there, `let hasUnicorn =
  /// ObservableDefault(.hasUnicorn)`, and use `hasUnicorn.wrappedValue`. In a `@MainActor` class
  /// the attribute works.
  @propertyWrapper
  public struct ObservableDefault<Value: Sendable>: Sendable {
    @usableFromInline let tracked: TrackedKey<Value>

    /// Creates a property for the setting of a key, in the key's suite.
    @inlinable
    public init(_ key: Key<Value>) { tracked = TrackedKey(key) }

    /// The value of the setting. Reading it is tracked.
    @inlinable
    public var wrappedValue: Value {
      get { tracked.value }
      nonmutating set { tracked.value = newValue }
    }

    /// The key of the setting.
    public var projectedValue: Key<Value> { tracked.key }
  }
}

/// A property that is a setting; the short name of ``Defaults/ObservableDefault``.
public typealias ObservableDefault<Value: Sendable> = Defaults.ObservableDefault<Value>
