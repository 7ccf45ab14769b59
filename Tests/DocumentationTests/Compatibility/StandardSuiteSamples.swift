import Defaults
import Foundation
import TestSupport
import Testing

// Keys without a suite, as in the descriptions: they use `.standard`, the settings of the user who
// runs the tests. So they are used only in child processes with another configuration folder.

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("quality", default: 0.8)
  fileprivate static let name = OptionalKey<Double>("name")
  fileprivate static let nickname = Key<String?>("nickname")
  fileprivate static let started = Key<Date>("started") { Date(timeIntervalSince1970: 1) }
  fileprivate static let isUnicornMode = Key<Bool>("isUnicornMode", default: false)
  fileprivate static let isUnicorn = Key<Bool>("isUnicorn", default: true)
  fileprivate static let defaultDuration = Key<DurationKeys>("defaultDuration", default: .oneHour)
}

private enum DurationKeys: String, Defaults.Serializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
  case oneHour = "1 Hour"
}

@Suite("Samples in the standard suite", .prompt)
struct StandardSuiteSamples {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Sample: the standard suite works and has the documented file")
  func samples() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let standard = Defaults.PropertyListSuite.standard
      let file = "\(path)/\(ProcessInfo.processInfo.processName)/Defaults.plist"
      #expect(standard.url?.path == file)

      #expect(Defaults[.quality] == 0.8)
      Defaults[.quality] = 0.5
      #expect(Defaults[.quality] == 0.5)
      Defaults[.quality] += 0.1
      #expect(Defaults[.quality] == 0.6)

      if let name = Defaults[.name] { Issue.record("Nothing was stored, and \(name) was read") }
      Defaults[.nickname] = "Uni"
      #expect(Defaults[.nickname] == "Uni")
      #expect(Defaults[.started] == Date(timeIntervalSince1970: 1))
      #expect(Defaults[.defaultDuration].rawValue == "1 Hour")

      let events = Log<[Bool]>()
      let observer = Defaults.observe(.isUnicornMode) { change in
        events.append([change.oldValue, change.newValue])
      }
      Defaults[.isUnicornMode] = true
      #expect(events.all == [[false, false], [false, true]])
      observer.invalidate()

      #expect(standard[.isUnicorn] == true)
      #expect(standard.bool(forKey: Defaults.Keys.isUnicorn.name) == true)
      let isUnicorn = Defaults.Key<Bool>("isUnicorn, local", default: true)
      #expect(Defaults[isUnicorn] == true)

      do { try standard.flush(.snapshot) } catch { Issue.record(error) }
      #expect(FileManager.default.fileExists(atPath: file))

      Defaults.reset(.isUnicornMode, .quality)
      #expect(Defaults[.isUnicornMode] == false)
      #expect(Defaults[.quality] == 0.8)
      Defaults.reset("nickname")
      #expect(Defaults[.nickname] == nil)

      Defaults[.quality] = 1
      Defaults.removeAll()
      #expect(standard.names == [])
      #expect(Defaults[.quality] == 0.8)
      #expect(standard.double(forKey: "quality") == 0.8)
    }
  }

  @Test("Sample: the next run reads the values that one run stored in the standard suite")
  func nextRun() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      Defaults[.quality] = 0.25
      Defaults[.nickname] = "Uni"
      Defaults[.defaultDuration] = .halfHour
      // A normal exit saves.
    }
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      #expect(Defaults[.quality] == 0.25)
      #expect(Defaults[.nickname] == "Uni")
      #expect(Defaults[.defaultDuration] == .halfHour)
    }
  }
}
