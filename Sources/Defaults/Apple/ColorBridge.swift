#if canImport(SwiftUI)
  import SwiftUI

  extension Defaults {
    /// Stores a SwiftUI color by its components, in the form in which its `Resolved` is stored.
    ///
    /// What is stored is what SwiftUI itself makes of the color, four `Float`s without a limit to
    /// sRGB, and these come back bit for bit; a wider description (`CGColor`, a headroom) doesn't.
    /// A color that is another one in the dark, such as `Color.primary` or that of an asset
    /// catalog, has no components of its own: it is refused rather than kept as it happens to look
    /// at present. Store what stands for it, or `color.resolve(in:)` of the view's environment. It
    /// may be a default, though. What depends on more than light and dark, such as
    /// `Color.accentColor`, can't be told from a constant color, and would be stored as one.
    ///
    /// Never compiled by Apple's compiler; see ``Default``.
    public struct ColorBridge: PropertyListBridge {
      /// The only instance there need be.
      public init() {}

      /// The components as JSON text; throws for a color that depends on light and dark.
      public func encode(_ value: Color) throws(ConversionError) -> PropertyListValue {
        let light = Self.resolve(value, in: .light)
        guard light == Self.resolve(value, in: .dark) else {
          throw ConversionError(
            "it is another color in the dark; resolve it in an environment, or store its name")
        }
        return try Color.Resolved.bridge.encode(light)
      }

      /// The color of components, whether they were stored by a `Color` or by its `Resolved`.
      public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Color {
        Color(try Color.Resolved.bridge.decode(stored))
      }

      private static func resolve(_ color: Color, in scheme: ColorScheme) -> Color.Resolved {
        var environment = EnvironmentValues()
        environment.colorScheme = scheme
        return color.resolve(in: environment)
      }
    }
  }

  extension Color: Defaults.Serializable {
    /// Stores the components.
    @_documentation(visibility: internal)
    public static var bridge: Defaults.ColorBridge { Defaults.ColorBridge() }
  }

  /// Stored as any `Codable` value is: as JSON text, in the form that SwiftUI gives it.
  extension Color.Resolved: Defaults.Serializable {}
#endif
