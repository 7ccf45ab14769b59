import Defaults
import Foundation

enum Theme: String, Defaults.Serializable { case light, dark, system }

struct User: Codable, Defaults.Serializable {
  var name: String
  var age: Int
  var isAdmin: Bool
}

extension Defaults.Keys {
  static let isOpen = Key<Bool>("isOpen", default: false)
  static let launchCount = Key<Int>("launchCount", default: 0)
  static let quality = Key<Double>("quality", default: 0.8)
  static let userName = Key<String>("userName", default: "")
  static let theme = Key<Theme>("theme", default: .system)
  static let user = Key<User>("user", default: User(name: "", age: 0, isAdmin: false))
  static let recentFiles = Key<[String]>("recentFiles", default: [])
  static let columnWidths = Key<[String: Int]>("columnWidths", default: [:])
  static let lastPage = Key<Int?>("lastPage")
  static let missing = Key<Int>("missing", default: 7)
}

/// The measured entries, and others that increase the size.
enum Entries {
  /// Too long to be stored in a string without an allocation.
  static let userName = "Grace Brewster Murray Hopper"
  static let user = User(name: userName, age: 85, isAdmin: true)

  /// The entries that the keys above read.
  static let measured: [String: Defaults.PropertyListValue] = [
    "isOpen": true, "launchCount": 42, "quality": 0.5, "userName": .string(userName),
    "theme": "dark", "user": #"{"name":"Grace Brewster Murray Hopper","age":85,"isAdmin":true}"#,
    "recentFiles": ["one.txt", "two.txt", "three.txt"],
    "columnWidths": ["name": 200, "size": 80, "date": 120], "lastPage": 3,
  ]

  /// Entries of all kinds, including the measured ones.
  static func mixed(_ count: Int) -> [String: Defaults.PropertyListValue] {
    var entries = measured
    for index in 0..<max(0, count - entries.count) {
      entries[name(index)] =
        switch index % 5 {
        case 0: .integer(Int64(index))
        case 1: .string("the value of entry \(index)")
        case 2: .real(Double(index) / 3)
        case 3: .bool(index.isMultiple(of: 2))
        default: .array(["a", "b", .integer(Int64(index))])
        }
    }
    return entries
  }

  /// Entries with integers.
  static func integers(_ count: Int) -> [String: Defaults.PropertyListValue] {
    var entries: [String: Defaults.PropertyListValue] = ["launchCount": 42]
    for index in 0..<(count - 1) { entries[name(index)] = .integer(Int64(index)) }
    return entries
  }

  static func name(_ index: Int) -> String { "setting.\(index)" }
}
