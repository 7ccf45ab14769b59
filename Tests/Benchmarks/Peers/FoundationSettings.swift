import Defaults
import Foundation
import Harness

/// Foundation's settings with a name.
///
/// Unchecked, because `UserDefaults` is documented as thread-safe but isn't declared Sendable.
struct FoundationSettings: @unchecked Sendable {
  let name: String
  let userDefaults: UserDefaults

  init(_ name: String) throws {
    guard let userDefaults = UserDefaults(suiteName: name) else {
      throw HarnessError("There are no UserDefaults named \(name)")
    }
    self.name = name
    self.userDefaults = userDefaults
  }

  /// Creates settings with entries in Foundation's own format. Setting 10,000 entries one by one
  /// takes Foundation eight seconds.
  init(_ name: String, holding entries: [String: Any], in scratch: Scratch) throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: entries, format: .xml, options: 0)
    try data.write(to: scratch.file(ofFoundation: name))
    try self.init(name)
    guard userDefaults.object(forKey: "launchCount") != nil else {
      throw HarnessError("Foundation didn't read its settings")
    }
    // Foundation writes the file in its own form once.
    keep(0, "launchCount")
    keep(42, "launchCount")
  }

  /// Sets an integer so that it survives a kill when this returns.
  @inline(__always)
  func keep(_ value: Int, _ name: String) {
    userDefaults.set(value, forKey: name)
    userDefaults.synchronize()
  }
}
