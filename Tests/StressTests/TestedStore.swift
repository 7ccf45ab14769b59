import Defaults
import Foundation
import Harness

/// The tested libraries: this one, and Foundation for comparison.
enum Subject: String, CaseIterable {
  case defaults = "Defaults"
  case userDefaults = "UserDefaults"

  /// Opens the settings in a folder. `UserDefaults` uses it only in a child started with
  /// ``environment(for:)``.
  func open(_ folder: URL) throws -> any TestedStore {
    switch self {
    case .defaults: try SuiteStore(folder: folder)
    case .userDefaults: try UserDefaultsStore()
    }
  }

  /// The property list in a folder.
  func file(in folder: URL) -> URL {
    folder.appending(path: self == .defaults ? "Settings.plist" : "\(UserDefaultsStore.name).plist")
  }

  /// The environment with which a child stores all files in a folder.
  static func environment(for folder: URL) -> [String: String] {
    ["XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path, "HOME": folder.path]
  }
}

/// Settings whose setters should have stored the value when they return, as far as the library
/// supports that.
protocol TestedStore: Sendable {
  func entry(_ key: String) -> Defaults.PropertyListValue?
  func set(_ number: Int, for key: String)
  func set(_ text: String, for key: String)
  /// Adds one.
  func increment(_ key: String) throws
  /// Writes the whole file, if setting doesn't.
  func writeFile() throws
}

struct SuiteStore: TestedStore {
  let suite: Defaults.PropertyListSuite

  init(folder: URL) throws {
    suite = try Defaults.PropertyListSuite(url: Subject.defaults.file(in: folder))
  }

  func entry(_ key: String) -> Defaults.PropertyListValue? { suite.entry(named: key) }
  func set(_ number: Int, for key: String) { suite.set(number, forKey: key) }
  func set(_ text: String, for key: String) { suite.set(text, forKey: key) }

  func increment(_ key: String) throws {
    try suite.update(Defaults.Key<Int>(key, default: 0, suite: suite)) { $0 += 1 }
  }

  func writeFile() throws { try suite.flush(.snapshot) }
}

struct UserDefaultsStore: TestedStore {
  static let name = "StressTests"
  // Documented as thread-safe, but not declared Sendable on Linux.
  private nonisolated(unsafe) let defaults: UserDefaults

  init() throws {
    guard let defaults = UserDefaults(suiteName: Self.name) else {
      throw HarnessError("UserDefaults doesn't open")
    }
    self.defaults = defaults
  }

  func entry(_ key: String) -> Defaults.PropertyListValue? {
    switch defaults.object(forKey: key) {
    case let text as String: .string(text)
    case let number as Int: .integer(Int64(number))
    default: nil
    }
  }

  func set(_ number: Int, for key: String) {
    defaults.set(number, forKey: key)
    defaults.synchronize()
  }

  func set(_ text: String, for key: String) {
    defaults.set(text, forKey: key)
    defaults.synchronize()
  }

  func increment(_ key: String) throws {
    defaults.synchronize()
    set(defaults.integer(forKey: key) + 1, for: key)
  }

  func writeFile() {}
}
