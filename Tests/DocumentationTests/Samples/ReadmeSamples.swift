import Defaults
import Foundation
import TestSupport
import Testing

// The samples of the README and of the articles about declaring, writing and observing. They use
// `.standard`, so they run in a process with a configuration folder of its own.

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("quality", default: 0.8)
  fileprivate static let volume = Key("volume", default: 5, suite: .standard, .in(0...11))
  fileprivate static let nickname = Key<String?>("nickname")
  fileprivate static let camera = Key<Camera?>("camera") { .preferred }
  fileprivate static let tags = Key<[String]>("tags", default: [])
  fileprivate static let place = Key("place", default: Point(x: 0, y: 0))
  fileprivate static let theme = Key("theme", default: Theme.system)
  fileprivate static let port = Key("port", default: 8080, .in(1...65535), .about("our port"))
}

private enum Theme: String, Defaults.Serializable { case system, light, dark }

private struct Preferences: Defaults.Schema {
  @Stored(.in(0...11)) var volume = 5
  @Stored var nickname: String?
}

private enum Camera: String, Defaults.Serializable {
  case front, back
  static var preferred: Self { .back }
}

private struct Point: Equatable {
  var x: Double
  var y: Double
}

private struct PointBridge: Defaults.Bridge {
  func serialize(_ point: Point?) -> [Double]? { point.map { [$0.x, $0.y] } }
  func deserialize(_ stored: [Double]?) -> Point? {
    guard let stored, stored.count == 2 else { return nil }
    return Point(x: stored[0], y: stored[1])
  }
}

extension Point: Defaults.Serializable { static let bridge = PointBridge() }

@Suite("Samples of the README and the articles", .prompt)
struct ReadmeSamples {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("The samples have the results that their comments show")
  func tour() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      precondition(Defaults[.quality] == 0.8)
      Defaults[.quality] = 0.5
      Defaults[.quality] += 0.1
      precondition(Defaults[.quality] == 0.6)

      let local = Defaults.Key("isUnicorn", default: true)
      Defaults[local].toggle()
      precondition(Defaults[local] == false)
      precondition(Defaults[.camera] == .back)

      Defaults[.tags].append("new")
      try Defaults.update(.volume) { $0 += 1 }
      precondition(Defaults[.volume] == 6 && Defaults[.tags] == ["new"])
      Defaults.reset(.volume, .nickname)
      precondition(Defaults.Keys.volume.isDefaultValue)
      let all: Set<Defaults.AnyKey> = [.volume, .nickname]
      precondition(all.count == 2)

      try Defaults.set(6, for: .volume)
      let stored = try Defaults.value(for: .volume)
      precondition(stored == 6)
      let suite = Defaults.standard
      try suite.transaction { draft in
        draft[.volume] = 11
        try draft.set(Point(x: 1, y: 2), for: .place)
      }
      precondition(Defaults[.place] == Point(x: 1, y: 2))

      Defaults[.theme] = .dark
      try Defaults.set(443, for: .port)
      precondition((try? Defaults.set(0, for: .port)) == nil && Defaults[.port] == 443)
      Defaults.reset(.theme, .nickname)
      precondition(Defaults[.theme] == .system)
      try Defaults.standard.transaction { draft in
        draft[.port] = 80
        draft[.theme] = .light
      }
      precondition(Defaults[.port] == 80 && Defaults[.theme] == .light)
      let preferences = Preferences(suite: .standard)
      precondition(preferences.volume == 11)
      preferences.volume -= 1
      precondition(Defaults[.volume] == 10)
      preferences.volume += 1

      final class View {}
      let view = View()
      let observation = Defaults.observe(.volume) { change in
        precondition((0...12).contains(change.newValue))
      }
      Defaults.observe(keys: .volume, .nickname) {}.tieToLifetime(of: view)
      for await (volume, name) in Defaults.updates(.volume, .nickname) {
        precondition(volume == 11 && name == nil)
        break
      }
      Defaults.withoutPropagation { Defaults[.volume] = 0 }
      observation.invalidate()

      suite.register(defaults: ["brightness": 7])
      precondition(suite.integer(forKey: "brightness") == 7)
      try await suite.flush()
      Defaults.removeAll(suite: .standard)
      precondition(suite.entries == [:])
      _ = view
    }
  }
}
