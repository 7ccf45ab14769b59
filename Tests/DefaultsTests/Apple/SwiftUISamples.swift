#if canImport(SwiftUI)
  import Defaults
  import Observation
  import SwiftUI
  import TestSupport
  import Testing

  // The SwiftUI code of the seeds' descriptions, written for this library. Compiled and run where
  // SwiftUI is available, and once on Linux with a substitute for SwiftUI.

  private let shared = Defaults.MemorySuite(label: "samples of SwiftUI")

  extension Defaults.Keys {
    fileprivate static let hasUnicorn = Key<Bool>("hasUnicorn", default: false, suite: shared)
    fileprivate static let showAllDayEvents = Key<Bool>(
      "showAllDayEvents", default: false, suite: shared)
  }

  private struct ContentView: View {
    @Default(.hasUnicorn) var hasUnicorn

    var body: some View {
      Text("Has Unicorn: \(hasUnicorn)")
      Toggle("Toggle", isOn: $hasUnicorn)
      Button("Reset") {
        _hasUnicorn.reset()
      }
    }
  }

  private struct ShowAllDayEventsSetting: View {
    var body: some View {
      Defaults.Toggle("Show All-Day Events", key: .showAllDayEvents)
        .onChange {
          print("Value", $0)
        }
    }
  }

  private struct Pet: Codable, Defaults.Serializable {
    var name = "Boots"
  }

  private struct Preferences: Defaults.Schema {
    @Stored var volume = 5
  }

  private struct PetView: View {
    @Default(.init("pet", default: Pet(), suite: shared)) var pet: Pet
    @Default(.init("message", default: "", suite: shared)) var message: String
    @Default(.init("names", default: [], suite: shared)) var names: [String]
    @Default(.init("nickname", suite: shared)) var nickname: String?

    var body: some View {
      Text(pet.name)
      Text("Stored Value: \(message)")
      TextField("Message", text: $message)
      TextField("Name", text: $pet.name)
    }
  }

  @Suite("SwiftUI samples")
  struct SwiftUISamples {
    @MainActor
    @Test("The views in the documentation of earlier libraries read and write settings")
    func views() {
      let view = PetView()
      _ = (ContentView().body, ShowAllDayEventsSetting().body, view.body)
      view.names.append("Boots")
      view.nickname = "Cool Guy"
      view.$pet.name.wrappedValue = "Tom"
      #expect(shared.entry(named: "names") == ["Boots"])
      #expect(shared.string(forKey: "nickname") == "Cool Guy")
      #expect(view.pet.name == "Tom")
    }

    @Test("A setting of a view is read, written, bound, tracked and reset")
    func wrapper() {
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("volume", default: 5, suite: suite)
      let setting = Default(key)
      setting.wrappedValue = 6
      #expect(suite[key] == 6)
      #expect(!setting.isDefaultValue)

      let log = Log<String>()
      withObservationTracking {
        _ = setting.wrappedValue
      } onChange: {
        log.append("value")
      }
      withObservationTracking {
        _ = setting.isDefaultValue
      } onChange: {
        log.append("whether default")
      }
      setting.projectedValue.wrappedValue = 7
      #expect(log.all.sorted() == ["value", "whether default"])

      setting.reset()
      #expect(setting.wrappedValue == setting.defaultValue)
      #expect(setting.isDefaultValue)
    }

    @Test("A binding to a property of a schema is tracked")
    func binding() {
      let preferences = Preferences(suite: Defaults.MemorySuite())
      let log = Log<Bool>()
      let binding = withObservationTracking {
        let binding = Binding(preferences.$volume)
        _ = binding.wrappedValue
        return binding
      } onChange: {
        log.append(true)
      }
      binding.wrappedValue = 6
      #expect(preferences.volume == 6)
      #expect(log.all == [true])
    }

    @Test(
      "A color is stored with its exact components, and an adaptive color is rejected")
    func color() throws {
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("tint", default: Color.primary, suite: suite)
      let color = Color(Color.Resolved(red: 0.1, green: 1 / 3, blue: -0.25, opacity: 0.7))
      let environment = EnvironmentValues()
      try suite.set(color, for: key)
      #expect(suite[key].resolve(in: environment) == color.resolve(in: environment))
      let resolved = Defaults.Key<Color.Resolved?>("tint", suite: suite)
      #expect(suite[resolved] == color.resolve(in: environment))

      #expect(throws: Defaults.SuiteError.self) { try suite.set(.primary, for: key) }
      #expect(suite[resolved] == color.resolve(in: environment))
    }
  }
#endif
