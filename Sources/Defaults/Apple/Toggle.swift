#if canImport(SwiftUI)
  import SwiftUI

  extension Defaults {
    /// SwiftUI's toggle of a setting that is on or off.
    ///
    /// ```swift
    /// Defaults.Toggle("Show All-Day Events", key: .showAllDayEvents)
    ///   .onChange { print($0) }
    /// ```
    ///
    /// It shows the present value, also after somebody else has changed it. Never compiled by
    /// Apple's compiler; see ``Default``.
    public struct Toggle<Label: View>: View {
      @Defaults.Default private var isOn: Bool
      private let label: Label
      private var action: (@MainActor (Bool) -> Void)?

      /// A toggle with a label made of views.
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
    /// The same toggle, with a closure that gets the new value of each change while the toggle is
    /// shown, whoever made it; a second closure replaces the first.
    ///
    /// It must stand right behind the toggle: behind another modifier SwiftUI's own `onChange` is
    /// meant. For changes at any time there is ``Defaults/observe(_:options:invalid:handler:)``.
    public func onChange(_ action: @escaping @MainActor (Bool) -> Void) -> Self {
      var copy = self
      copy.action = action
      return copy
    }
  }

  extension Defaults.Toggle where Label == Text {
    /// A toggle with a label that is translated.
    public init(_ titleKey: LocalizedStringKey, key: Defaults.Key<Bool>) {
      self.init(key: key) { Text(titleKey) }
    }

    /// A toggle with a label that is shown as it is.
    @_disfavoredOverload
    public init(_ title: some StringProtocol, key: Defaults.Key<Bool>) {
      self.init(key: key) { Text(title) }
    }
  }

  extension Defaults.Toggle where Label == SwiftUI.Label<Text, Image> {
    /// A toggle with a label that is translated, and a symbol.
    public init(_ titleKey: LocalizedStringKey, systemImage: String, key: Defaults.Key<Bool>) {
      self.init(key: key) { SwiftUI.Label(titleKey, systemImage: systemImage) }
    }

    /// A toggle with a label that is shown as it is, and a symbol.
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage: String, key: Defaults.Key<Bool>) {
      self.init(key: key) { SwiftUI.Label(title, systemImage: systemImage) }
    }
  }
#endif
