#if canImport(SwiftUI)
  import SwiftUI

  extension Defaults {
    /// The bridge of a SwiftUI color, which stores its components in the form of its `Resolved`.
    ///
    /// SwiftUI resolves the color to four `Float`s, which aren't limited to sRGB. These are the
    /// components, and they keep all their bits. A wider description (`CGColor`, a headroom) is
    /// lost. A color that differs in dark mode, such as `Color.primary` or a color of an asset
    /// catalog, has no components of its own. It may be a default, but can't be stored. Store its
    /// name, or `color.resolve(in:)` of the view's environment. A color that depends on more than
    /// light and dark, such as `Color.accentColor`, can't be distinguished from a constant color,
    /// and is stored like a constant color.
    ///
    /// Never compiled by Apple's compiler; see ``Default``.
    public struct ColorBridge: PropertyListBridge {
      /// Creates the bridge.
      public init() {}

      /// Returns the components as JSON text; throws for a color that differs in dark mode.
      public func encode(_ value: Color) throws(ConversionError) -> PropertyListValue {
        let light = Self.resolve(value, in: .light)
        guard light == Self.resolve(value, in: .dark) else {
          throw ConversionError(
            "the color differs in dark mode; resolve it in an environment, or store its name")
        }
        return try Color.Resolved.bridge.encode(light)
      }

      /// Returns the color with the components stored for a `Color` or a `Color.Resolved`.
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

  /// Stored like any `Codable` value: as JSON text, in SwiftUI's form.
  extension Color.Resolved: Defaults.Serializable {}
#endif
