#if canImport(SwiftUI)
  import SwiftUI

  extension Defaults {
    /// A property of a SwiftUI view that is a setting.
    ///
    /// ```swift
    /// struct ContentView: View {
    ///   @Default(.hasUnicorn) var hasUnicorn
    ///
    ///   var body: some View {
    ///     Toggle("Unicorn", isOn: $hasUnicorn)
    ///     Button("Reset") { _hasUnicorn.reset() }
    ///       .disabled(_hasUnicorn.isDefaultValue)
    ///   }
    /// }
    /// ```
    ///
    /// It reads and writes the same entry as `Defaults[.hasUnicorn]`. A body that reads the
    /// property or the binding is evaluated again after each change of the setting: through the
    /// view, through `Defaults`, or by another process. The Observation framework notifies SwiftUI,
    /// as for an `@Observable` object, so the view has no state of its own. As with such an object,
    /// a change by another thread between the read and the end of the body may be missed.
    ///
    /// A key that is declared once is the fastest, because it caches its value. A key can also be
    /// created in place: `@Default(.init("nickname", suite: shared)) var nickname: String?`.
    ///
    /// This was type-checked and run on Linux against a stand-in for SwiftUI, and never compiled
    /// by Apple's compiler.
    @propertyWrapper
    public struct Default<Value: Sendable>: DynamicProperty, Sendable {
      // With a tracked key in each view, two views with the same key would differ.
      /// The key of the setting. The wrapper stores nothing else, so two views with the same key
      /// are equal for SwiftUI.
      public let key: Key<Value>

      /// Creates a property for the setting of a key, in the key's suite.
      public init(_ key: Key<Value>) { self.key = key }

      /// The value of the setting. Reading it is tracked.
      public var wrappedValue: Value {
        get { TrackedKey(key).value }
        nonmutating set { Defaults[key] = newValue }
      }

      /// A binding of the setting.
      public var projectedValue: Binding<Value> { Binding(key) }
    }
  }

  extension Defaults.Default {
    /// The value of the setting while nothing is stored; see ``Defaults/Key/defaultValue``.
    public var defaultValue: Value { key.defaultValue }

    /// Whether the current value equals the default, even if the value is stored. Reading it is
    /// tracked.
    public var isDefaultValue: Bool {
      // Only for the tracking.
      _ = wrappedValue
      return key.isDefaultValue
    }

    /// Removes the entry of the setting, so that it has its default value again.
    public func reset() { key.reset() }
  }

  /// A property of a SwiftUI view that is a setting; the short name of ``Defaults/Default``.
  public typealias Default<Value: Sendable> = Defaults.Default<Value>
  /// The older spelling of ``Default``, for a module that declares a `Default` of its own.
  public typealias _Default<Value: Sendable> = Defaults.Default<Value>

  extension Binding where Value: Sendable {
    /// Creates a binding of a setting, by its key or by the projected value of a property.
    ///
    /// ```swift
    /// Slider(value: Binding(.volume))
    /// Stepper("Volume", value: Binding(preferences.$volume))
    /// ```
    ///
    /// It reads and writes the same entry as `Defaults[key]`, and reading it is tracked: see
    /// ``Defaults/Default``. Never compiled by Apple's compiler.
    public init(_ key: Defaults.Key<Value>) {
      self.init(get: { TrackedKey(key).value }, set: { Defaults[key] = $0 })
    }
  }
#endif
