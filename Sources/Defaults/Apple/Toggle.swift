#if canImport(SwiftUI)
  import SwiftUI

  extension Defaults {
    /// A SwiftUI toggle of a setting that is a bool.
    ///
    /// ```swift
    /// Defaults.Toggle("Show All-Day Events", key: .showAllDayEvents)
    ///   .onChange { print($0) }
    /// ```
    ///
    /// It always shows the current value, even after a change by other code or another process.
    /// Never compiled by Apple's compiler; see ``Default``.
    public struct Toggle<Label: View>: View {
      @Defaults.Default private var isOn: Bool
      private let label: Label
      private var action: (@MainActor (Bool) -> Void)?

      /// Creates a toggle with a label made of views.
      public init(key: Key<Bool>, @ViewBuilder label: () -> Label) {
        _isOn = Defaults.Default(key)
        self.label = label()
      }

      /// The toggle.
      public var body: some View {
        SwiftUI.Toggle(isOn: $isOn) { label }
          .onChange(of: isOn) { _, isOn in action?(isOn) }
      }
    }
  }

  extension Defaults.Toggle {
    /// Returns the toggle with a closure that gets the new value after each change by any code or
    /// process while the toggle is shown. A second closure replaces the first.
    ///
    /// Call it on the toggle itself: after another modifier, SwiftUI's own `onChange` is called.
    /// For changes at any time, use ``Defaults/observe(_:options:invalid:handler:)``.
    public func onChange(_ action: @escaping @MainActor (Bool) -> Void) -> Self {
      var copy = self
      copy.action = action
      return copy
    }
  }

  extension Defaults.Toggle where Label == Text {
    /// Creates a toggle with a localized label.
    public init(_ titleKey: LocalizedStringKey, key: Defaults.Key<Bool>) {
      self.init(key: key) { Text(titleKey) }
    }

    /// Creates a toggle with a label that isn't localized.
    @_disfavoredOverload
    public init(_ title: some StringProtocol, key: Defaults.Key<Bool>) {
      self.init(key: key) { Text(title) }
    }
  }

  extension Defaults.Toggle where Label == SwiftUI.Label<Text, Image> {
    /// Creates a toggle with a localized label and a symbol.
    public init(_ titleKey: LocalizedStringKey, systemImage: String, key: Defaults.Key<Bool>) {
      self.init(key: key) { SwiftUI.Label(titleKey, systemImage: systemImage) }
    }

    /// Creates a toggle with a label that isn't localized and a symbol.
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage: String, key: Defaults.Key<Bool>) {
      self.init(key: key) { SwiftUI.Label(title, systemImage: systemImage) }
    }
  }
#endif
