import Foundation
import Observation
import TestSupport
import Testing

@testable import Defaults

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var title = "x"
}

private struct Renamed: Defaults.Schema {
  @Stored(.renamed(from: "soundVolume")) var volume = 5
}

private final class PreferencesClass: Defaults.Settings {
  @Stored var volume = 5
}

@Observable
private final class UnicornManager {
  @ObservableDefault
  @ObservationIgnored
  var hasUnicorn: Bool

  var herd = 0

  init(_ key: Defaults.Key<Bool>) { _hasUnicorn = ObservableDefault(key) }
}

@Suite("Tracking of settings", .prompt)
struct SettingsTrackingTests {
  let suite = Defaults.MemorySuite()

  /// How often an observer of the properties that `read` reads is notified of a change.
  private func count(_ read: () -> Void, whenDoing change: () -> Void) -> Int {
    let log = Log<Bool>()
    withObservationTracking(read) { log.append(true) }
    change()
    return log.count
  }

  @Test("A change under a previous name notifies trackers if one of two declarations has that name")
  func sharedName() {
    let (plain, renamed) = (Preferences(suite: suite), Renamed(suite: suite))
    _ = plain.volume
    #expect(count({ _ = renamed.volume }) { suite.set(7, forKey: "soundVolume") } == 1)
    #expect(renamed.volume == 7)
  }

  @Test("A change notifies trackers of its property only, however it was made")
  func ways() {
    let preferences = Preferences(suite: suite)
    let other = Preferences(suite: suite)
    let key = Defaults.Key("volume", default: 0, suite: suite)
    let read = { _ = preferences.volume }
    #expect(count(read) { preferences.volume = 1 } == 1)
    #expect(count(read) { other.volume = 2 } == 1)
    #expect(count(read) { Defaults[key] = 3 } == 1)
    #expect(count(read) { key.reset() } == 1)
    #expect(count(read) { suite.set(4, forKey: "volume") } == 1)
    #expect(count(read) { suite.removeAll() } == 1)
    #expect(count(read) { preferences.title = "y" } == 0)
    #expect(count(read) { preferences.volume = 5 } == 1)
    #expect(count(read) { preferences.volume = 5 } == 0)
    #expect(count({}) { preferences.volume = 7 } == 0)
  }

  @Test("A change without propagation doesn't notify trackers, and the next one does")
  func silent() {
    let preferences = Preferences(suite: suite)
    let read = { _ = preferences.volume }
    #expect(count(read) { Defaults.withoutPropagation { preferences.volume = 3 } } == 0)
    #expect(count(read) { preferences.volume = 4 } == 1)
  }

  @Test("Trackers are notified once, after the change and outside every lock")
  func time() {
    let preferences = Preferences(suite: suite)
    let seen = Log<Int>()
    withObservationTracking {
      _ = preferences.volume
      _ = preferences.title
    } onChange: {
      seen.append(preferences.volume)
      preferences.title = "written by a handler"
    }
    preferences.volume = 6
    preferences.volume = 7
    #expect(seen.all == [6])
    #expect(preferences.title == "written by a handler")
  }

  @Test("Trackers are notified of a transaction after it has ended")
  func transaction() throws {
    let preferences = Preferences(suite: suite)
    let seen = Log<Int>()
    withObservationTracking {
      _ = preferences.volume
    } onChange: {
      seen.append(preferences.volume)
    }
    try suite.transaction { draft in
      draft[preferences.$volume] = 6
      draft[preferences.$volume] = 7
      #expect(seen.count == 0)
    }
    #expect(seen.all == [7])
  }

  @Test("Changes of settings classes and observable defaults notify trackers")
  func others() {
    let settings = PreferencesClass(suite: suite)
    #expect(count({ _ = settings.volume }) { settings.volume = 6 } == 1)
    let key = Defaults.Key("hasUnicorn", default: false, suite: suite)
    let manager = UnicornManager(key)
    let read = { _ = manager.hasUnicorn }
    #expect(count(read) { manager.hasUnicorn = true } == 1)
    #expect(count(read) { Defaults[key] = false } == 1)
    #expect(count(read) { manager.herd = 1 } == 0)
    #expect(count({ _ = manager.herd }) { manager.herd = 2 } == 1)
    #expect(manager.$hasUnicorn === key)
  }

  @Test("`Observations` gives each value if its reader keeps up")
  func observations() async throws {
    let preferences = Preferences(suite: suite)
    let values = Observations { preferences.volume }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 5)
    preferences.volume = 6
    #expect(await iterator.next() == 6)
    Defaults[preferences.$volume] = 7
    preferences.title = "y"
    #expect(await iterator.next() == 7)
  }

  @Test("A renamed property is tracked under all its names")
  func previousName() {
    suite.set(7, forKey: "soundVolume")
    let renamed = Renamed(suite: suite)
    let read = { _ = renamed.volume }
    #expect(count(read) { suite.set(6, forKey: "soundVolume") } == 1)
    #expect(renamed.volume == 6)
    #expect(count(read) { renamed.volume = 8 } == 1)
    #expect(renamed.volume == 8)
    #expect(suite.entries == ["volume": 8])
  }

  @Test("In a scope, reads are tracked in the scope's suite")
  func scopes() {
    let (first, second) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let (preferences, key, manager) = Defaults.withSuite(first) {
      let key = Defaults.Key("tracked.inScope", default: false)
      let (preferences, manager) = (Preferences(suite: .standard), UnicornManager(key))
      #expect(count({ _ = preferences.volume }) { first.set(1, forKey: "volume") } == 1)
      #expect(count({ _ = manager.hasUnicorn }) { Defaults[key] = true } == 1)
      return (preferences, key, manager)
    }
    Defaults.withSuite(second) {
      #expect(count({ _ = preferences.volume }) { first.set(2, forKey: "volume") } == 0)
      #expect(count({ _ = preferences.volume }) { second.set(3, forKey: "volume") } == 1)
      #expect(preferences.volume == 3)
      #expect(count({ _ = manager.hasUnicorn }) { Defaults[key] = true } == 1)
      #expect(manager.hasUnicorn)
    }
    #expect(first.entries == ["volume": 2, "tracked.inScope": true])
  }

  @Test("Tracking in a scope doesn't keep the scope's suite alive")
  func suiteOfScope() {
    weak var support: Defaults.SuiteSupport?
    do {
      let suite = Defaults.MemorySuite()
      support = suite.support
      Defaults.withSuite(suite) {
        let preferences = Preferences(suite: suite)
        #expect(count({ _ = preferences.volume }) { preferences.volume = 6 } == 1)
      }
    }
    #expect(support == nil)
  }

  @Test("Trackers are notified in the scope of the change, not in that of the first tracker")
  func scopeOfNotification() {
    let key = Defaults.Key("tracked.notified", default: 0)
    let seen = Log<Int>()
    for number in 1...2 {
      Defaults.withSuite(Defaults.MemorySuite()) {
        Defaults[key] = number
        let preferences = Preferences(suite: suite)
        withObservationTracking {
          _ = preferences.volume
        } onChange: {
          seen.append(Defaults[key])
        }
        preferences.volume = 10 * number
      }
    }
    #expect(seen.all == [1, 2])
  }

  @Test("A schema made outside scopes is tracked in the scope's suite when read there")
  func scopesLater() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let tests = SettingsTrackingTests()
      let preferences = Preferences(suite: .standard)
      let read = { _ = preferences.volume }
      #expect(tests.count(read) { preferences.volume = 1 } == 1)
      Defaults.withSuite(Defaults.MemorySuite()) {
        #expect(preferences.volume == 5)
        #expect(tests.count(read) { preferences.volume = 2 } == 1)
      }
      #expect(tests.count(read) { preferences.volume = 3 } == 1)
    }
  }

  @Test("A schema made in a scope is tracked in the program's suite outside")
  func scopesBefore() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let tests = SettingsTrackingTests()
      let preferences = Defaults.withSuite(tests.suite) {
        let preferences = Preferences(suite: .standard)
        #expect(preferences.volume == 5)
        return preferences
      }
      let read = { _ = preferences.volume }
      #expect(tests.count(read) { preferences.volume = 1 } == 1)
      #expect(tests.count(read) { tests.suite.set(2, forKey: "volume") } == 0)
      #expect(preferences.volume == 1)
    }
  }

  @Test("A suite without storage of its own supports tracking", .needsUserDefaults)
  func ownSuite() throws {
    let domain = try UserDefaultsDomain()
    let own = Defaults.UserDefaultsSuite(try domain.open())
    let preferences = Preferences(suite: own)
    #expect(count({ _ = preferences.volume }) { preferences.volume = 6 } == 1)
    #expect(preferences.volume == 6)
  }
}

@Suite("Tracking of changes by other processes", .prompt)
struct ExternalTrackingTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("A change of another process notifies the trackers of its property only")
  func external() async throws {
    let (writer, reader) = (try twins.open(), try twins.open())
    let preferences = Preferences(suite: reader)
    let titles = Log<Bool>()
    withObservationTracking {
      _ = preferences.title
    } onChange: {
      titles.append(true)
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = preferences.volume
    } onChange: {
      continuation.yield()
    }
    writer.set(6, forKey: "volume")
    var iterator = stream.makeAsyncIterator()
    await iterator.next()
    #expect(preferences.volume == 6)
    #expect(titles.count == 0)
  }
}
