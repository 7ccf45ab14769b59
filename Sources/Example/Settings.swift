import Defaults

// The program's settings. A key has a name, the type of its value, a default and, optionally, rules
// and a description.

extension Defaults.Keys {
  static let launchCount = Key<Int>(
    "launchCount", default: 0, .in(0...), .about("how often the program was launched"))
  static let theme = Key<Theme>("theme", default: .system, .about("the colors of the window"))
  static let volume = Key<Double>("volume", default: 0.8, .in(0...1), .about("how loud it is"))
  static let windowFrame = Key<WindowFrame>(
    "windowFrame", default: WindowFrame(x: 0, y: 0, width: 800, height: 600),
    .check("must have a size above 0") { $0.width > 0 && $0.height > 0 },
    .about("where the window is"))
  static let nickname = Key<String?>("nickname", .about("what to call you"))
  static let tags = Key<Set<String>>("tags", default: [], .about("search words"))
}

/// Stored as its raw value, because it conforms to `Serializable` and is `RawRepresentable`.
enum Theme: String, CaseIterable, Defaults.Serializable {
  case system, light, dark
}

/// Stored as JSON text, because it conforms to `Serializable` and is `Codable`.
struct WindowFrame: Codable, Defaults.Serializable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int
}

/// All settings, in the order of the table. A new one is a key above and its name here.
let allSettings: [Defaults.AnyKey] = [
  .launchCount, .theme, .volume, .windowFrame, .nickname, .tags,
]
