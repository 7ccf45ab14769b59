import Defaults

// What this program remembers. A key is the name of a setting, the type of its value, and its
// default.

extension Defaults.Keys {
  static let launchCount = Key<Int>("launchCount", default: 0)
  static let theme = Key<Theme>("theme", default: .system)
  static let volume = Key<Double>("volume", default: 0.8)
  static let windowFrame = Key<WindowFrame>(
    "windowFrame", default: WindowFrame(x: 0, y: 0, width: 800, height: 600))
  static let nickname = Key<String?>("nickname")
  static let tags = Key<Set<String>>("tags", default: [])
}

/// Stored as its raw value, because it conforms to `Serializable` and has one.
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

/// The numbers of launches that there can be: what `set` takes, and what counting stays within.
private let launchCounts = 0...Int.max

/// The number of launches with one more. A negative number, which only another program can have
/// stored, counts as none, and the largest one stays.
func launchCount(after count: Int) -> Int {
  let count = max(count, launchCounts.lowerBound)
  return count < launchCounts.upperBound ? count + 1 : count
}

/// The settings as the commands know them, in the order of the table. A new one is a key above and
/// a line here.
let allSettings: [any NamedSetting] = [
  Setting(.launchCount, as: .integer(in: launchCounts)),
  Setting(.theme, as: .choice),
  Setting(.volume, as: .number(in: 0...1)),
  Setting(.windowFrame, as: .frame),
  Setting(.nickname, as: .optional(.line)),
  Setting(.tags, as: .list),
]

/// The setting of this name; throws if there is none.
func setting(named name: String) throws(UsageError) -> any NamedSetting {
  guard let setting = allSettings.first(where: { $0.name == name }) else {
    throw UsageError(unknown: "setting", name, known: allSettings.map(\.name))
  }
  return setting
}

/// The settings of these names, or all if there are no names.
func settings(named names: [String]) throws(UsageError) -> [any NamedSetting] {
  names.isEmpty ? allSettings : try names.map(setting(named:))
}
