import Defaults
import Foundation

/// The settings of a simulation. Values are unique numbers; 0 means no entry.
enum SimulatedSettings {
  /// Only changed by transactions, each of which depends on the current value.
  static let chain = 0
  /// Two entries that are always changed together, only by transactions.
  static let pair = 1
  /// Changed by all operations, and by the text editor.
  static let mixed = [2, 3]
  /// Only changed by the text editor.
  static let edited = 4
  /// Only set, to values that make the log long.
  static let large = 5

  static let all = 0...5

  private static let names = [
    ["chain"], ["left", "right"], ["mixed"], ["other"], ["edited"], ["large"],
  ]

  static func names(of key: Int) -> [String] { names[key] }

  /// The setting with an entry of this name.
  static func key(named name: String) -> Int? { names.firstIndex { $0.contains(name) } }

  // Foundation handles text ten times faster than data.
  private static let filler = String(repeating: "x", count: 24_000)

  static func entry(of key: Int, _ value: Int) -> Defaults.PropertyListValue {
    // Initial values are small.
    key == large && value < 1_000_000
      ? .array([.integer(Int64(value)), .string(filler)]) : .integer(Int64(value))
  }

  /// The values of a setting's first and last entry.
  static func value(
    of key: Int, in entry: (String) -> Defaults.PropertyListValue?
  ) -> (value: Int, second: Int) {
    let values = names[key].map { name in
      switch entry(name) {
      case .integer(let value): Int(value)
      case .array(let elements):
        if case .integer(let value) = elements.first { Int(value) } else { -1 }
      case nil: 0
      default: -1
      }
    }
    return (values[0], values[values.count - 1])
  }
}
