import Defaults
import Foundation

/// The settings of a simulation. Values are numbers that are written once; 0 stands for no entry.
enum SimulatedSettings {
  /// Changed by transactions alone, each on what is there.
  static let chain = 0
  /// Two entries that are always changed together, by transactions alone.
  static let pair = 1
  /// Changed by everything, and by the text editor.
  static let mixed = [2, 3]
  /// Changed by the text editor alone.
  static let edited = 4
  /// Set alone, to values that make the log long.
  static let large = 5

  static let all = 0...5

  private static let names = [
    ["chain"], ["left", "right"], ["mixed"], ["other"], ["edited"], ["large"],
  ]

  static func names(of key: Int) -> [String] { names[key] }

  /// The key of a name.
  static func key(named name: String) -> Int? { names.firstIndex { $0.contains(name) } }

  // Foundation takes a tenth of the time for text that it takes for data.
  private static let filler = String(repeating: "x", count: 24_000)

  static func entry(of key: Int, _ value: Int) -> Defaults.PropertyListValue {
    // The value that a start has is small.
    key == large && value < 1_000_000
      ? .array([.integer(Int64(value)), .string(filler)]) : .integer(Int64(value))
  }

  /// The value of a setting's first and last entry.
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
