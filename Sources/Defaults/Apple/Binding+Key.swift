#if canImport(SwiftUI)
  import SwiftUI

  extension Binding where Value: Sendable {
    /// A binding of a setting, by its key or the projected value of a property that is one.
    ///
    /// ```swift
    /// Slider(value: Binding(.volume))
    /// Stepper("Volume", value: Binding(preferences.$volume))
    /// ```
    ///
    /// It reads and writes what `Defaults[key]` does, and reading it is tracked: see
    /// ``Defaults/Default``. Never compiled by Apple's compiler.
    public init(_ key: Defaults.Key<Value>) {
      self.init(get: { TrackedKey(key).value }, set: { Defaults[key] = $0 })
    }
  }
#endif
