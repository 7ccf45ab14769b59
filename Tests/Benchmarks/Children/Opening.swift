import Defaults
import Foundation
import Harness

/// Opening a suite and reading one value, with one of the two libraries.
enum Opening {
  case ours
  case foundation

  init(_ name: String) { self = name == "ours" ? .ours : .foundation }

  /// An open suite.
  enum Opened {
    case ours(Defaults.PropertyListSuite)
    case foundation(UserDefaults)

    /// Whether there is an entry of this name.
    func holds(_ name: String) -> Bool {
      switch self {
      case .ours(let suite): suite.object(forKey: name) != nil
      case .foundation(let userDefaults): userDefaults.object(forKey: name) != nil
      }
    }
  }

  /// Opens a file, or the settings of a name.
  func open(_ place: String) throws -> Opened {
    switch self {
    case .ours: .ours(try Defaults.PropertyListSuite(url: URL(filePath: place)))
    case .foundation: .foundation(try FoundationSettings(place).userDefaults)
    }
  }

  /// The time for opening each place and reading one value. With `isWarm`, the first isn't counted.
  func time(_ places: ArraySlice<String>, isWarm: Bool) throws -> Int {
    // Released after the measurement.
    var opened: [Opened] = []
    opened.reserveCapacity(places.count)
    var start = MonotonicTime.now
    for (index, place) in places.enumerated() {
      if isWarm, index == 1 { start = MonotonicTime.now }
      let new = try open(place)
      let value =
        switch new {
        case .ours(let suite): suite[Defaults.Key("launchCount", default: 0, suite: suite)]
        case .foundation(let userDefaults): userDefaults.integer(forKey: "launchCount")
        }
      guard value != 0 else { throw HarnessError("\(place) wasn't read") }
      opened.append(new)
    }
    return withExtendedLifetime(opened) { MonotonicTime.now - start }
  }
}
